"""Mathematics typed on a keyboard becomes LaTeX; prose stays prose."""

from __future__ import annotations

import pytest

from analytics.text.plain_grammar import PlainMathsError, plain_to_latex
from analytics.text.plain_maths import bare_formulas, is_bare_formula, mark_plain_maths
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


def formulas_in(prose: str) -> list[str]:
    return [prose[start:end] for start, end in bare_formulas(prose)]


@each_case("formulas", "bare_answers")
def test_an_answer_is_a_formula_from_end_to_end_or_none(answer: str, is_formula: bool) -> None:
    assert is_bare_formula(answer) is is_formula


@each_case("formulas", "bare")
def test_formulas_in_prose_end_where_words_begin(prose: str, formulas: list[str]) -> None:
    assert formulas_in(prose) == formulas


def test_long_texts_are_read_in_good_time() -> None:
    for text in ("x^{" * 20_000, "{x" * 30_000, "x" + "=" * 60_000 + "y^2", "(" * 60_000 + "x^2", " \\" * 30_000):
        assert bare_formulas(text) is not None


def test_a_text_without_any_mark_of_latex_is_not_read_at_all() -> None:
    assert formulas_in("Anna has 3 apples (and 2 pears).") == []
