"""Signs, bars and names of functions: their form and the space around them."""

from __future__ import annotations

import re

import pytest

from questionbank.mathml import formula_mathml


def forms(latex: str, characters: str) -> list[str]:
    """Return the form of each operator that is among the characters, in order; "" where the browser chooses."""
    operators = re.findall(r"<mo([^>]*)>([^<]*)</mo>", formula_mathml(latex))
    return [
        match[1] if (match := re.search(r'form="(\w+)"', attributes)) else ""
        for attributes, text in operators
        if text in characters
    ]


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a-b", [""]),
        ("a=-b", ["prefix"]),
        (r"a \times -b", ["prefix"]),
        (r"x \in [-1, -2)", ["prefix", "prefix"]),
        (r"(a)-b", [""]),
        (r"n!-b", [""]),
        (r"\left(a\right)-b", [""]),
        (r"|a|-b", [""]),
        (r"f'-b", [""]),
        (r"a^2-b", [""]),
        (r"1+\cdots-b", [""]),
        (r"x=\pm2", []),
        (r"\lfloor -x \rfloor - 1", ["prefix", ""]),
        (r"\begin{aligned}a&=-b\end{aligned}", ["prefix"]),
    ],
)
def test_a_minus_is_a_sign_behind_an_operator_and_binary_behind_an_operand(
    latex: str, expected: list[str]
) -> None:
    assert forms(latex, "−") == expected


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("|x-3|=|y|", ["prefix", "postfix", "prefix", "postfix"]),
        ("||x|-1|", ["prefix", "prefix", "postfix", "postfix"]),
        ("2|x|+3|y|", ["prefix", "postfix", "prefix", "postfix"]),
        (r"|x|^2+1", ["prefix", "postfix"]),
        ("P(A|B)+P(B|A)", ["", ""]),
        ("a|b, b|c", ["", ""]),
        (r"\{x | x>0\}", [""]),
        ("3|n", [""]),
    ],
)
def test_bars_are_paired_and_a_lone_bar_stays_a_relation(latex: str, expected: list[str]) -> None:
    assert forms(latex, "|") == expected


@pytest.mark.parametrize(
    "latex",
    [
        r"\begin{vmatrix}1&2\\3&4\end{vmatrix}=-2",
        r"2\begin{vmatrix}1&2\\3&4\end{vmatrix}+x",
        r"|\begin{matrix}1&2\\3&4\end{matrix}|+x",
        r"\left|\begin{matrix}1&2\\3&4\end{matrix}\right|+x",
        r"\begin{Vmatrix}1&2\\3&4\end{Vmatrix}+x",
    ],
)
def test_the_bars_of_a_determinant_stretch_whatever_follows(latex: str) -> None:
    html = formula_mathml(latex)
    bars = re.findall(r"<mo([^>]*)>[|‖]</mo>", html)
    assert len(bars) == 2
    assert all('stretchy="true"' in bar for bar in bars)
    # A row of their own: they stretch to the matrix and to nothing beside it.
    assert re.search(r"<mrow><mo[^>]*>[|‖]</mo><mtable>.*</mtable><mo[^>]*>[|‖]</mo></mrow>", html)


def test_the_power_of_tall_bars_stands_on_both_bars() -> None:
    assert re.search(r"<msup><mrow><mo[^>]*>\|</mo><mfrac>", formula_mathml(r"|\frac{x}{2}|^2"))


def test_a_name_of_a_function_keeps_its_distance_from_letters_but_not_from_brackets() -> None:
    space = '<mspace width="0.167em"></mspace>'
    assert f"<mi>sin</mi>{space}<mi>x</mi>" in formula_mathml(r"\sin x")
    assert f"<mn>2</mn>{space}<mi>sin</mi><mo" in formula_mathml(r"2\sin(x)")
    assert f"<mi>sin</mi>{space}<mrow><mo stretchy" not in formula_mathml(r"\sin\left(x\right)")
    assert "<mi>lcm</mi><mo" in formula_mathml(r"\operatorname{lcm}(a,b)")
    assert space not in formula_mathml(r"ab+1")


def test_letters_and_operators_have_the_tags_that_space_them() -> None:
    assert "<mo>±</mo>" in formula_mathml(r"a\pm b")
    assert "<mi>∞</mi>" in formula_mathml(r"(0,\infty)")
    assert "<mi>⋯</mi>" in formula_mathml(r"1+\cdots+n")
    assert '<mo stretchy="false">⌊</mo>' in formula_mathml(r"\lfloor x\rfloor")
    assert "<mn>.5</mn>" in formula_mathml("x=.5")


def test_a_prime_stands_beside_its_letter_because_fonts_draw_it_raised() -> None:
    assert '<mrow><mi>f</mi><mo form="postfix">′</mo></mrow>' in formula_mathml("f'(x)")
    assert '<msub><mi>x</mi><mn>1</mn></msub><mo form="postfix">′</mo>' in formula_mathml("x_1'")
