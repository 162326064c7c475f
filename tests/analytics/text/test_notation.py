"""LaTeX tokens and the one spelling of a formula."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.text.notation import formula_tokens, mend_rows, normalise_latex
from tests.cases import each_case

PIECES = str.split(
    r"\frac \dfrac12 \sqrt \sqrt[3] { } ( ) ^ _ x 12 1,000 \left( \right) \right. \le \, \text{cm} = + π"
)


def test_tokens_are_commands_numbers_letters_and_signs() -> None:
    assert formula_tokens(r"\frac{12}{x_1} \le 3.5 \begin{cases}a\end{cases}") == [
        *(r"\frac", "{", "12", "}", "{", "x", "_", "1", "}", r"\le", "3.5"),
        *(r"\begin{cases}", "a", r"\end{cases}"),
    ]
    assert formula_tokens(r"1,250 1{,}000 1,25 \{ \% \\") == ["1,250", "1{,}000", "1", ",", "25", r"\{", r"\%", r"\\"]
    assert formula_tokens("") == []


@each_case("formulas", "spellings")
def test_spellings_of_one_formula_become_one(spellings: tuple[str, ...]) -> None:
    assert len({normalise_latex(spelling) for spelling in spellings}) == 1


@each_case("formulas", "lookalikes")
def test_different_formulas_stay_different(formula: str, lookalike: str) -> None:
    assert normalise_latex(formula) != normalise_latex(lookalike)


@given(st.lists(st.sampled_from(PIECES), max_size=20))
@settings(max_examples=300, deadline=None)
def test_normalising_never_fails(pieces: list[str]) -> None:
    assert isinstance(normalise_latex(" ".join(pieces)), str)


def test_normalising_twice_changes_nothing() -> None:
    for latex in (
        r"\left\{ \dfrac12 x_{1} \right\}",
        r"{{a}^{3}}{{x}^{2}}",
        r"\sqrt[n]{\frac ab}",
        r"(200, 100) \le 1,000",
    ):
        once = normalise_latex(latex)
        assert normalise_latex(once) == once


@pytest.mark.parametrize("unit", ["{", "}", "^", r"\frac", r"\left(", r"\sqrt[", "{x}", "x_"])
def test_normalising_ends_however_deep(unit: str, no_hang: None) -> None:
    normalise_latex(unit * 20_000)


def test_lost_row_breaks_are_put_back_in_cases_alone() -> None:
    assert mend_rows(r"\begin{cases}x=1    y=2\end{cases}") == r"\begin{cases}x=1\\ y=2\end{cases}"
    untouched = r"\begin{cases}x=1\\    y=2\end{cases} a    b"
    assert mend_rows(untouched) == untouched
