from __future__ import annotations

from questionbank.formulas import formula_mathml
from questionbank.worksheets.printing.markup import read_markup
from questionbank.worksheets.printing.speech import formula_in_words
from tests.cases import each_case


@each_case("rendering", "speech")
def test_a_formula_is_said_in_words(latex, words):
    (math,) = read_markup(formula_mathml(latex)).iterate("math")
    assert formula_in_words(math) == words
