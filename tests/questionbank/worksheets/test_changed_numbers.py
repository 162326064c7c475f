"""Drawings of the demo bank's questions, checked by what their patterns mean (`tests.bench.variants`)."""

from __future__ import annotations

import pytest

from tests.bench.variants import Drawing, bank, drawn, fault_of


def test_no_drawing_of_the_demo_bank_is_impossible() -> None:
    drawings, _kept = drawn(60, seed=7)
    assert [(drawing.text, fault) for drawing in drawings if (fault := fault_of(drawing))] == []


@pytest.mark.parametrize(
    ("numbers", "answer", "fault"),
    [
        (("£7", "£3", "54 visitors", "£310"), "37", ""),
        (("£7", "£3", "34 visitors", "£350"), "62", "not answer < visitors"),
        (("£7", "£3", "54 visitors", "£310"), "38", "its answer is not (paid-child*visitors)/(adult-child)"),
        (("£3", "£7", "54 visitors", "£310"), "17", "not child < adult"),
        (("£90", "£3", "54 visitors", "£310"), "37", "9 became 90"),
        (("£9", "£5", "42 visitors", "£266"), "14", "its numbers are the same"),
    ],
)
def test_the_check_finds_what_is_impossible(numbers: tuple[str, ...], answer: str, fault: str) -> None:
    row = next(row for row in bank() if "adults pay £9 and children £5" in row["text"])
    text = row["text"]
    for old, new in zip(("£9", "£5", "42 visitors", "£266"), numbers, strict=True):
        text = text.replace(old, new)
    assert fault_of(Drawing(row, text, answer)) == fault
