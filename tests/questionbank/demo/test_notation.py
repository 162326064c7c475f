"""Tidy LaTeX."""

from __future__ import annotations

from fractions import Fraction

import pytest

from questionbank.demo.notation import (
    answer,
    braced,
    cases,
    column,
    decimal,
    frac,
    line_equation,
    matrix,
    money,
    pi_times,
    plus,
    poly,
    power,
    quantity,
    rounded,
    short_decimal,
    signed_sum,
    standard_form,
    surd,
    table,
    term,
    tex,
)


@pytest.mark.parametrize(
    ("coefficients", "shown"),
    [
        ([1, 0, -1], "x^2 - 1"),
        ([-1, 1], "-x + 1"),
        ([0, 0], "0"),
        ([0, 3, 0], "3x"),
        ([Fraction(1, 2), -Fraction(3, 2)], r"\frac{1}{2}x - \frac{3}{2}"),
        ([1, *[0] * 12], "x^{12}"),
    ],
)
def test_a_polynomial_has_no_needless_ones_zeros_or_double_signs(coefficients, shown):
    assert poly(coefficients) == shown


def test_numbers_are_grouped_from_ten_thousand_on():
    assert [tex(n) for n in (9999, 10000, -1234567)] == ["9999", r"10\,000", r"-1\,234\,567"]
    assert answer(1234567) == "1,234,567"


def test_answers_are_plain_where_text_suffices():
    assert [answer(7), answer(-7), answer(Fraction(1, 2)), answer("0.25"), answer("x")] == [
        "7",
        "$-7$",
        r"$\frac{1}{2}$",
        "0.25",
        "$x$",
    ]


def test_a_fraction_keeps_its_sign_in_front_and_is_not_reduced():
    assert frac(-2, 4) == r"-\frac{2}{4}"
    assert tex(Fraction(2, -4)) == r"-\frac{1}{2}"
    assert tex(Fraction(6, 3)) == "2"


def test_signs_join_into_a_sum():
    assert signed_sum(["x", "-3y", "0", "4"]) == "x - 3y + 4"
    assert signed_sum(["0"]) == "0"
    assert [plus(3), plus(-3)] == ["+ 3", "- 3"]
    assert [term(1, "x"), term(-1, "x"), term(0, "x"), term(5)] == ["x", "-x", "0", "5"]
    assert [braced(-2), braced(2), braced(Fraction(-1, 2))] == ["(-2)", "2", r"\left(-\frac{1}{2}\right)"]


def test_powers_bracket_what_needs_it():
    assert [power("x", 1), power(-2, 3), power("x", 12), power(Fraction(1, 2), 3)] == [
        "x",
        "(-2)^3",
        "x^{12}",
        r"\left(\frac{1}{2}\right)^3",
    ]


def test_surds_are_simplified():
    assert [surd(1, 72), surd(2, 7), surd(1, 49), surd(0, 3), surd(-3, 8)] == [
        r"6\sqrt{2}",
        r"2\sqrt{7}",
        "7",
        "0",
        r"-6\sqrt{2}",
    ]


def test_decimals_are_exact():
    assert [decimal(Fraction(1, 8)), decimal(5, 2), decimal(Fraction(-5, 2))] == ["0.125", "5.00", "-2.5"]
    with pytest.raises(ValueError, match="no finite decimal"):
        decimal(Fraction(1, 3))
    with pytest.raises(ValueError, match="more than 1 places"):
        decimal(Fraction(1, 8), 1)


def test_rounding_is_half_up_and_never_shows_minus_zero():
    assert [rounded(0.125, 2), rounded(Fraction(5, 2), 0), rounded(1.005, 2), rounded(-0.004, 2)] == [
        "0.13",
        "3",
        "1.01",
        "0.00",
    ]
    assert [short_decimal(Fraction(1, 4)), short_decimal(Fraction(2, 3))] == ["0.25", "0.67"]


def test_quantities_money_and_multiples_of_pi():
    assert [quantity(5, "cm"), quantity(5, "cm", 3), money(4), money(Fraction(9, 2))] == [
        "5 cm",
        r"$5\,\text{cm}^3$",
        "£4",
        "£4.50",
    ]
    assert [pi_times(Fraction(1)), pi_times(Fraction(3)), pi_times(Fraction(1, 4))] == [
        r"\pi",
        r"3\pi",
        r"\frac{\pi}{4}",
    ]
    assert standard_form(Fraction(23, 10), -4) == r"2.3 \times 10^{-4}"


def test_blocks():
    assert cases("x = 1", "y = 2") == r"\begin{cases} x = 1 \\ y = 2 \end{cases}"
    assert matrix([[1, 2], [3, 4]]) == r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}"
    assert column(1, -2) == r"\begin{pmatrix} 1 \\ -2 \end{pmatrix}"
    assert (
        table(["x", 1], ["y", 2])
        == r"\begin{array}{|c|c|} \hline x & 1 \\ \hline y & 2 \\ \hline \end{array}"
    )
    assert line_equation(-1, 0) == "y = -x"
