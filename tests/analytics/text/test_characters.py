"""Characters of word processors and PDF files become those of a keyboard."""

from __future__ import annotations

import pytest

from analytics.text.characters import keyboard_maths, tidy_characters
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
