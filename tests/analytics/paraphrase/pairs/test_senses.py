import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.paraphrase.pairs.senses import (
    clause_lost,
    contrary_word,
    formula_change,
    names_exchanged,
    number_change,
    number_lost,
    same_sense,
    sense_change,
    small_word,
)

_VAGUE = ("some", "several", "a few", "many")
_CHANGES = (
    contrary_word,
    small_word,
    formula_change,
    number_change,
    number_lost,
    clause_lost,
    names_exchanged,
    same_sense,
)


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        (contrary_word, "Ben is taller.", {"Ben is shorter."}),
        (contrary_word, "Find the perimeter.", {"Find the area."}),
        (formula_change, "Solve $x > 3$.", {"Solve $x < 3$.", r"Solve $x \le 3$.", r"Solve $x \ge 3$."}),
        (formula_change, "Expand $(x - 3)(x + y)$.", {"Expand $(x + 3)(x + y)$.", "Expand $(x - 3)(x - y)$."}),
        (number_lost, "Ann has 5 pens.", {f"Ann has {word} pens." for word in _VAGUE}),
        (names_exchanged, "He paid Ben, then Ida.", {"He paid Ida, then Ida.", "He paid Ben, then Ben."}),
    ],
)  # fmt: skip
def test_one_sense_changes(change, text, expected):
    assert {change(text, random.Random(seed)).text for seed in range(40)} <= expected


def test_what_does_not_apply_changes_nothing():
    assert not any(change("Say hello", random.Random(1)) for change in _CHANGES)


@given(
    st.sampled_from(
        [
            "Only 12 of 40 chairs are taken, and 5 of the rest are broken. How many are free?",
            "Solve $3x - 4 > 11$ for all positive integers.",
            "Tom gives Ann 5 of his 20 cards before noon. How many cards are left?",
        ]
    ),
    st.integers(0, 10_000),
)
def test_the_marked_words_are_the_change(text, seed):
    change = sense_change(text, random.Random(seed))
    assert change is not None
    assert change.text != text
    start, end = change.after
    assert 0 <= start <= end <= len(change.text)
    assert change.text[:start].casefold()[: start - 1] == text.casefold()[: max(start - 1, 0)]
