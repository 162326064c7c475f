"""Number slots: every reading that equations use has one."""

from __future__ import annotations

import gzip
import json
from fractions import Fraction
from pathlib import Path

import pytest

from analytics.errors import DataError
from analytics.expression.evaluate import number_value
from analytics.text.number_slots import number_slots
from tests.cases import each_case


def values(text: str) -> list[str]:
    return [str(slot.value) for slot in number_slots(text)]


@each_case("texts", "number_slots")
def test_a_number_has_a_slot_for_each_value_that_it_may_mean(text, expected):
    assert values(text) == expected


def test_slots_stand_where_their_digits_stand():
    text = "He ate 2 / 3 of a cake."
    whole, above, below = number_slots(text)
    assert (text[whole.start : whole.end], whole.reading) == ("2 / 3", "value")
    assert [text[slot.start : slot.end] for slot in (above, below)] == ["2", "3"]
    assert {above.reading, below.reading} == {"digits"}


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "least"), [("math23k/test", 0.99), ("asdiv_a/cv", 0.99), ("mathqa_adapted/val", 0.99)]
)
def test_nearly_all_numbers_of_published_equations_have_a_slot(shared_data: Path, name: str, least: float):
    with gzip.open(shared_data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    covered = total = 0
    for row in rows:
        slots = {slot.value for slot in number_slots(row["text"])}
        for number in row.get("numbers") or []:
            try:
                value = number_value(number.replace(",", ""))
            except DataError:
                above, _, below = number.strip("()").replace(")/(", "/").partition("/")
                value = Fraction(int(above), int(below))
            total += 1
            covered += value in slots
    assert total > 1000
    assert covered / total >= least
