"""Texts are compared however they are written: by value of their numbers, or without them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.text.copies import story_key, text_key

PAIRS = [
    (
        "7 red apples and 2 green apples are in the basket . How many apples are in the basket ?",
        "Seven red apples and two green apples are in the basket. How many apples are in the basket?",
    ),
    ("he bought the 2 pencil and the 12 pen", "He bought the second pencil and the twelfth pen."),
    ("on the mayor 's 50 birthday", "On the mayor's 50th birthday"),
    ("he threw away 19 old 1 that did n't fit", "He threw away 19 old ones that didn't fit."),
    ("1 , 250 people", "1,250 people"),
    ("a 50 - m rope ( new )", "a 50-m rope (new)"),
    ("20 % of $ 3 . 50", "20 percent of $3. 50"),
    ("half of a dozen eggs", "1/2 of 12 eggs"),
    ("José’s café costs 3.50", "Jose's cafe costs 3.5"),
    ("First - class seats : 4", "first—class seats: four"),
    ("小明有３支铅笔，又买了4支。", "小明有3支铅笔，又买了四支？"),
    ("2½ cups", "2 1/2 cups"),
    ("What is 3 + 4 ?", "what is 3+4"),
]


@pytest.mark.parametrize(("tokenised", "written"), PAIRS)
def test_one_problem_written_in_two_ways_has_one_key(tokenised, written):
    assert text_key(tokenised) == text_key(written)
    assert story_key(tokenised) == story_key(written)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Tom has 3 pens", "Tom has 4 pens"),
        ("Tom has three pens", "Tom has thirty-three pens"),
        ("1/2 of the cake", "1/4 of the cake"),
        ("一本书有90页", "一本书有80页"),
        ("the second pen of 4", "the third pen of 4"),
        ("What is 3+4?", "What is 3 + 40?"),
    ],
)
def test_copies_but_for_numbers_have_one_story_and_two_texts(text, other):
    assert text_key(text) != text_key(other)
    assert story_key(text) == story_key(other)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Tom has 3 pens", "Ann has 3 pens"),
        ("Tom has 3 pens", "Tom had 3 pens"),
        ("3 more pens than Ann", "3 fewer pens than Ann"),
        ("Find 3 + 4", "Find 3 × 4"),
        ("Solve x = 4", "Solve x > 4"),
        ("一本书有90页", "一个班有90人"),
    ],
)
def test_other_problems_have_another_story(text, other):
    assert story_key(text) != story_key(other)


_WORDS = st.lists(
    st.sampled_from(["Tom", "has", "3", "apples", "twelve", "or", "half", "20", "红花", "How", "many"]),
    min_size=1,
    max_size=12,
)


@given(_WORDS, st.randoms(use_true_random=False))
def test_case_marks_and_blanks_make_no_difference(words, rng):
    text = " ".join(words)
    changed = " ".join(rng.choice((word, word.upper(), f"{word} ,", f"( {word} )")) for word in words)
    assert story_key(changed + " ?") == story_key(text)


@given(st.text(max_size=80))
def test_equal_texts_are_copies_and_any_text_has_a_key(text):
    assert text_key(text) == text_key(f"  {text} ")
    assert story_key(text) == story_key(f"{text}\n")
