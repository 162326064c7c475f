"""Warnings about formulas that look unbalanced."""

from __future__ import annotations

import pytest

from questionbank.bank.question_fields import latex_warnings


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No formula at all.",
        r"If $x=2$ and $$y=3$$, what is \(x\) or \[y\]?",
        r"It costs \$5 and $\{1, 2\}$ is a set.",
        r"$\frac{1}{2}$ \\( is no delimiter",
    ],
)
def test_balanced_formulas_give_no_warning(text):
    assert latex_warnings(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("If $x=2, what then?", "between $ and $"),
        ("If $$x=2$, what then?", "between $$ and $$"),
        (r"If \(x=2, what then?", r"\( and \)"),
        (r"If x=2\], what then?", r"\[ and \]"),
        (r"Half: $\frac{1}{2$", "Braces"),
    ],
)
def test_an_unbalanced_formula_is_told(text, told):
    (warning,) = latex_warnings(text)
    assert told in warning
