"""Formulas built alike have one shape; likeness orders them."""

from __future__ import annotations

import pytest

from analytics.text.formula_shape import formula_likeness, formula_shape, shape_tokens


@pytest.mark.parametrize(
    ("formula", "variant"),
    [
        ("2x+3=11", "7n - 18 = -74"),
        (r"\frac{1}{2}+\frac13", r"\dfrac{5}{6} - \tfrac{4}{9}"),
        (r"\log_{2}(8) =", r"\log_3 81"),
        ("x^2-5x+6=0", "y^{2} + 7y - 12 = 0"),
        ("3*x", r"5 \cdot a"),
    ],
)
def test_numbers_letters_and_layout_are_no_part_of_a_shape(formula, variant):
    assert formula_shape(formula) == formula_shape(variant)
    assert shape_tokens([formula]) == shape_tokens([variant])


@pytest.mark.parametrize(
    ("formula", "variant"), [("x^2 + 1", "x^3 + 1"), ("2x + 3", "2x + 3 = 11"), ("x + x", "x + y"), ("a < 1", "a = 1")]
)
def test_powers_relations_and_repeated_letters_are(formula, variant):
    assert formula_shape(formula) != formula_shape(variant)


def test_the_same_numbers_are_liker_than_others_and_another_function_is_less_like():
    asked = r"\frac{1}{2} + \frac{1}{3}"
    ranked = [asked, r"\frac{1}{3} + \frac{2}{7}", r"\frac{5}{6} + \frac{4}{9}", r"\frac{5}{6}", r"\sqrt{5}"]
    likeness = [formula_likeness(asked, formula) for formula in ranked]
    assert likeness == sorted(likeness, reverse=True)
    assert likeness[0] == pytest.approx(1)
    assert formula_likeness(r"\sin x", r"\sin 2x") > formula_likeness(r"\sin x", r"\cos x")


def test_trivial_and_long_formulas_have_no_token():
    assert shape_tokens(["x", "5", "x" + " + y" * 50]) == []
    assert len(shape_tokens([f"x^{n} + 1 = 0" for n in range(2, 40)])) == 12  # a text adds only so many


@pytest.mark.parametrize("broken", ["", "\\", "{{{", "}}}", "\\frac", "$", "\\frac12345", "^^__", "(" * 999])
def test_broken_latex_does_no_harm(broken):
    assert 0 <= formula_likeness(broken, "x^2") <= 1
    shape_tokens([broken])
