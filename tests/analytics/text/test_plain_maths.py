"""Mathematics typed on a keyboard becomes LaTeX; prose stays prose."""

from __future__ import annotations

import pytest

from analytics.text.plain_grammar import PlainMathsError, plain_to_latex
from analytics.text.plain_maths import mark_plain_maths
from tests.cases import each_case


@each_case("plain_maths", "latex")
def test_plain_maths_becomes_latex(typed, latex):
    assert plain_to_latex(typed) == latex


@each_case("plain_maths", "refused")
def test_what_the_grammar_does_not_know_is_refused(typed):
    with pytest.raises(PlainMathsError):
        plain_to_latex(typed)


@pytest.mark.parametrize("typed", ["(" * 500, "-" * 1_900, "1+" * 5_000])
def test_endless_formulas_are_refused(typed):
    with pytest.raises(PlainMathsError):
        plain_to_latex(typed)


@each_case("plain_maths", "marked")
def test_formulas_in_prose_are_marked(typed, marked):
    assert mark_plain_maths(typed) == marked


@each_case("plain_maths", "prose")
def test_prose_stays_as_it_is(prose):
    assert mark_plain_maths(prose) == prose


@pytest.mark.parametrize("unit", "1|1,|1 |1/2 |1 1/|1/2, |1 1/2 m, |-|a 1/2 |7:45-|3/4/24 |(|½|x^|=x |x,".split("|"))
def test_marking_a_long_text_ends(unit, no_hang):
    mark_plain_maths(unit * (25_000 // len(unit)))
