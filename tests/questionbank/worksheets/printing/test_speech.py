from __future__ import annotations

import pytest

from questionbank.formulas import formula_mathml
from questionbank.worksheets.printing.markup import read_markup
from questionbank.worksheets.printing.speech import formula_in_words


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"x^2 - 5x = 0", "x squared minus 5 x equals 0"),
        (r"\frac{1}{2}", "1 over 2"),
        (r"\frac{a+b}{c}", "the fraction a plus b over c, end of fraction,"),
        (r"\sqrt{2}", "the square root of 2"),
        (r"\sqrt[3]{x+1}", "the cube root of x plus 1, end of root,"),
        (r"\sum_{i=1}^{n} i", "the sum from i equals 1 to n of i"),
        (r"\alpha \le 90^\circ", "alpha is at most 90 degrees"),
        (r"a_{1}", "a sub 1"),
        (r"2^{n+1}", "2 to the power n plus 1, end of power,"),
        (r"\overline{AB}", "A B bar"),
        (r"\lim_{x \to 0} \sin x", "the limit as x to 0 of sine x"),
        (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}",
         "open bracket a table of 2 by 2: row 1: 1, 2; row 2: 3, 4; end of table, close bracket"),
        (r"12\longdiv{345}", "12 divided into 345"),
        (r"\cancel{7}", "7, crossed out,"),
        (r"\text{if } x", "if x"),
    ],
)  # fmt: skip
def test_a_formula_is_said_in_words(latex, words):
    (math,) = read_markup(formula_mathml(latex)).iterate("math")
    assert formula_in_words(math) == words
