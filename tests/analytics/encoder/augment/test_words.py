"""Swapping and deleting words, never of a formula."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.encoder.augmentation import delete_word, swap_words
from analytics.text.formulas import segment_text

TEXT = r"Find the area of the circle $x^2+y^2=\text{nine}$ please."


def formulas(text: str) -> list[str]:
    return [segment.source for segment in segment_text(text) if segment.kind == "formula"]


@given(st.integers(0, 500))
def test_a_swap_keeps_every_word_and_the_formula(seed):
    changed = swap_words(TEXT, random.Random(seed))
    assert changed is not None
    assert changed != TEXT
    assert sorted(changed.replace(".", "").split()) == sorted(TEXT.replace(".", "").split())
    assert formulas(changed) == formulas(TEXT)


@given(st.integers(0, 500))
def test_a_deletion_takes_one_word_and_leaves_no_double_blank(seed):
    changed = delete_word(TEXT, random.Random(seed))
    assert changed is not None
    assert len(changed.split()) in (len(TEXT.split()), len(TEXT.split()) - 1)  # "please." leaves its "."
    assert "  " not in changed
    assert formulas(changed) == formulas(TEXT)


def test_chinese_is_changed_by_words_not_characters():
    changed = {delete_word("小明有苹果", random.Random(seed)) for seed in range(40)}
    assert "小明有" in changed
    assert "小明有果" not in changed


@pytest.mark.parametrize("text", ["", "$x^2$", "word", "12 + 5"])
def test_too_few_words_give_none(text):
    assert swap_words(text, random.Random(0)) is None
    assert delete_word(text, random.Random(0)) is None


def test_words_that_are_all_the_same_cannot_be_swapped():
    assert swap_words("the the the", random.Random(0)) is None
