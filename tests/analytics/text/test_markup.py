"""Text-mode macros become characters in prose and LaTeX in formulas."""

from __future__ import annotations

from analytics.text.markup import TEXT_MACROS, replace_text_macros, replace_text_macros_in_formula
from tests.cases import each_case


@each_case("formulas", "text_macros")
def test_prose_reads_as_it_would_print(source: str, plain: str) -> None:
    assert replace_text_macros(source) == plain


@each_case("formulas", "macros_in_formulas")
def test_formulas_keep_their_meaning(source: str, latex: str) -> None:
    assert replace_text_macros_in_formula(source) == latex


def test_every_macro_prints_one_character() -> None:
    assert all(len(character) == 1 for character in TEXT_MACROS.values())
    assert all(replace_text_macros(f"\\{name}{{}}") == character for name, character in TEXT_MACROS.items())
