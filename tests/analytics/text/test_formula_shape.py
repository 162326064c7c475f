"""Formulas built alike have one shape; likeness orders them."""

from __future__ import annotations

import pytest

from analytics.text.formula_shape import formula_likeness, formula_shape, shape_tokens
from tests.cases import each_case


@each_case("likeness", "shapes")
def test_numbers_letters_and_layout_are_no_part_of_a_shape(formula, variant, same_shape):
    assert (formula_shape(formula) == formula_shape(variant)) is same_shape
    assert (shape_tokens([formula]) == shape_tokens([variant])) is same_shape


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
