"""Characters of word processors and PDF files become those of a keyboard."""

from __future__ import annotations

import pytest

from analytics.text.characters import (
    TEXT_MACROS,
    keyboard_maths,
    replace_text_macros,
    replace_text_macros_in_formula,
    tidy_characters,
)
from tests.cases import each_case


@each_case("texts", "tidied")
def test_what_nobody_sees_is_tidied(copied, typed):
    assert tidy_characters(copied) == typed


@each_case("texts", "keyboard")
def test_one_character_for_several_is_spelt_out(copied, typed):
    assert keyboard_maths(copied) == typed


@pytest.mark.parametrize("unit", ["1", "½", "1½ ", "²", "x₁", "\u00ad"])
def test_spelling_out_a_long_text_ends(unit, no_hang):
    keyboard_maths(unit * 20_000)


@each_case("formulas", "text_macros")
def test_prose_reads_as_it_would_print(source: str, plain: str) -> None:
    assert replace_text_macros(source) == plain


@each_case("formulas", "macros_in_formulas")
def test_formulas_keep_their_meaning(source: str, latex: str) -> None:
    assert replace_text_macros_in_formula(source) == latex


def test_every_macro_prints_one_character() -> None:
    assert all(len(character) == 1 for character in TEXT_MACROS.values())
    assert all(replace_text_macros(f"\\{name}{{}}") == character for name, character in TEXT_MACROS.items())
