"""Search tokens: one scheme for what is indexed and what is searched."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.languages import detect_language
from analytics.text.tokens import search_tokens
from tests.cases import each_case

TOKEN = re.compile(r"[^\W_A-Z]{1,50}|[\u3400-\u9fff\uf900-\ufaff]+")


@each_case("texts", "tokens")
def test_the_scheme_is_as_documented(text: str, tokens: str) -> None:
    assert " ".join(search_tokens(text)) == tokens


@each_case("texts", "typed_formulas")
def test_a_formula_is_found_as_it_is_typed(typed: str, stored: str) -> None:
    assert set(search_tokens(typed)) == set(search_tokens(stored))


def test_chinese_is_cut_into_words_and_the_words_inside_them() -> None:
    tokens = search_tokens("他每分钟走60米，$x=3$", "zh")
    assert {"分钟", "每分钟", "60", "米", "mx", "meq", "3"} <= set(tokens)


def test_the_plural_is_taken_off_in_english_alone() -> None:
    assert search_tokens("apples 苹果", "zh")[0] == "apples"
    assert search_tokens("apples 苹果", "en")[0] == "apple"


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_every_token_is_one_word_that_a_database_keeps_whole(text: str) -> None:
    for token in search_tokens(text) + search_tokens(f"${text}$"):
        assert TOKEN.fullmatch(token), token


@each_case("texts", "languages")
def test_the_language_goes_by_the_share_of_chinese_characters(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize("unit", ["x^", "a", r"\frac", "1,", r"\text{", "一", "$x^{", "_", "'s"])
def test_tokenising_ends_whatever_the_text(unit: str, no_hang: None) -> None:
    search_tokens(unit * 10_000)
    search_tokens(f"${unit * 10_000}$")
