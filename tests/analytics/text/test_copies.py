"""Texts are compared however they are written: by value of their numbers, or without them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analytics.text.copies import story_key, text_key
from tests.cases import each_case


@each_case("likeness", "copies")
def test_texts_are_compared_with_numbers_and_stories_without(text, other, same_text, same_story):
    assert (text_key(text) == text_key(other)) is same_text
    assert (story_key(text) == story_key(other)) is same_story


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
