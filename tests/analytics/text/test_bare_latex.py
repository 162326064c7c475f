"""LaTeX without dollar signs: what counts as a formula, and above all what does not."""

from __future__ import annotations

from analytics.text.bare_latex import bare_formulas, is_bare_formula
from tests.cases import each_case


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
