"""Numbers that an address or a form sends."""

from __future__ import annotations

import pytest

from questionbank.core.wording import whole_number


@pytest.mark.parametrize(
    ("sent", "number"),
    [
        ("42", 42),
        ("0", 0),
        ("9" * 18, 10**18 - 1),
        ("9" * 19, None),
        ("", None),
        ("-1", None),
        ("1.0", None),
        ("٤", None),
    ],
)
def test_only_digits_are_a_number(sent, number):
    assert whole_number(sent) == number


def test_a_number_may_be_held_shorter():
    assert (whole_number("12345678", digits=8), whole_number("123456789", digits=8)) == (12_345_678, None)
