"""Texts that are the same problem, and the form of a question: what is masked, and what keeps two questions apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from analytics.text.fingerprints import masked_formula, masked_text, story_key, text_key, without_credits
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


@each_case("likeness", "forms")
def test_questions_that_differ_in_numbers_signs_and_letters_alone_have_one_form(text, other, same_form):
    assert (masked_text(text) == masked_text(other)) is same_form


def test_a_hyphen_is_no_sign():
    assert masked_text("A two-digit number") == masked_text("a three digit number")


def test_a_formula_shares_its_letters_with_the_rest_of_the_question():
    assert masked_text("Let $p = 3$. Find $p + q$.") == masked_text("Let $u = 5$. Find $u + v$.")
    assert masked_text("Let $p = 3$. Find $p + q$.") != masked_text("Let $u = 5$. Find $v + w$.")


def test_odd_input_has_a_form_too():
    for text in ("", "$", "$$", "$-$", r"$\frac$", "{" * 500, "x" * 10_000, "$" + "x" * 10_000 + "$"):
        assert isinstance(masked_text(text), str)
    assert masked_formula("") == ""


@each_case("likeness", "credits")
def test_source_credits_are_no_part_of_a_question(credit):
    assert without_credits(f"How many hats? {credit}") == "How many hats? "
    assert without_credits(f"{credit}How many hats?") == "How many hats?"


def test_other_brackets_stay():
    text = "A kangaroo (a large one) jumps $(2, 3)$ times (see question 4)."
    assert without_credits(text) == text
