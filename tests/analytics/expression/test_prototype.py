from __future__ import annotations

import pytest

from analytics.expression.prototype import equation_shape, shape_reading


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("(11-1)*2", "3*(25-4)"),
        ("1+2-3", "4-1+9"),
        ("6/2*5", "7*8/4"),
        ("8-(2+1)", "9-4-3"),
        ("8-(2-1)", "8+1-2"),
        ("12/(2*3)", "20/5/2"),
        ("5(1/2)*2", "1.5*3"),
        ("60%*40", "0.6*40"),
    ],
)
def test_numbers_and_the_order_of_terms_do_not_change_the_shape(one: str, other: str) -> None:
    assert equation_shape(one) == equation_shape(other) != ""


@pytest.mark.parametrize(
    ("one", "other"),
    [("1+2*3", "(1+2)*3"), ("1-2", "1+2"), ("2^3", "2*3"), ("1/(2+3)", "1/2+3"), ("-(2+1)", "2+1")],
)
def test_another_computation_has_another_shape(one: str, other: str) -> None:
    assert equation_shape(one) != equation_shape(other)


@pytest.mark.parametrize("text", ["", "7", "1+", "a+b", "9" * 5000])
def test_what_computes_nothing_has_no_shape(text: str) -> None:
    assert equation_shape(text) == ""


def test_a_shape_reads_as_people_write_it() -> None:
    assert shape_reading(equation_shape("3*(25-4)/2")) == "a × (b − c) ÷ d"
    assert shape_reading(equation_shape("-2-3")) == "−a − b"
    assert shape_reading(equation_shape("+".join("1" * 30))).endswith("… + …")


@pytest.mark.parametrize("equation", ["+".join(["1"] * 900), "1" + "%" * 1500, "/".join(["1"] * 290)])
def test_a_long_chain_has_a_shape_or_none_but_does_not_fail(equation: str) -> None:
    assert equation_shape(equation) == ("n" + "/n" * 289 if "/" in equation else "")
