"""Small edits: stretches are replaced, gaps are closed, numbers and units are written."""

from __future__ import annotations

from fractions import Fraction

import pytest

from analytics.language.en.numbers import english_value
from analytics.language.mentions import DIMENSIONS
from analytics.paraphrase.words.wording import apply_edits, lower_first, number_words, tidy, unit_words
from analytics.text.units import find_units
from tests.cases import each_case


def test_edits_that_overlap_are_refused() -> None:
    assert apply_edits("abcdef", [(4, 5, "X"), (0, 2, "")]) == "cdXf"
    with pytest.raises(ValueError, match="overlap"):
        apply_edits("abcdef", [(0, 3, ""), (2, 4, "")])


@each_case("rewording", "tidied")
def test_gaps_are_closed(text: str, clean: str) -> None:
    assert tidy(text) == clean


def test_a_sentence_is_put_behind_another_without_touching_names() -> None:
    assert lower_first("The car") == "the car"
    assert lower_first("Ann has", frozenset({"Ann"})) == "Ann has"
    assert lower_first("I have") == "I have"
    assert lower_first("B has") == "B has"
    assert lower_first("A car") == "a car"


@pytest.mark.parametrize(
    "value", ["0", "7", "21", "105", "1989", "5265526", "3/2", "1/4", "11/4", "0.56", "3.25", "1000000"]
)
def test_numbers_written_in_words_are_read_back(value: str) -> None:
    for decimal in (False, True):
        assert english_value(number_words(Fraction(value), decimal=decimal) or "") == Fraction(value)


def test_a_fraction_without_a_usual_name_is_not_written() -> None:
    assert number_words(Fraction(5, 12)) is None
    assert number_words(Fraction(2, 3)) == "two thirds"


def test_every_unit_with_a_name_is_found_again_by_it() -> None:
    for unit in DIMENSIONS:
        for several in (False, True):
            name = unit_words(unit, several=several)
            if name is None or unit in {"pound_sterling", "penny_sterling"}:  # "pound" and "penny" are others' names
                continue
            assert [mention.unit for mention in find_units(f"5 {name}")] == [unit], (unit, name)
