"""Characters of word processors and PDF files become those of a keyboard."""

from __future__ import annotations

import pytest

from analytics.text.characters import keyboard_maths, tidy_characters


@pytest.mark.parametrize(
    ("copied", "typed"),
    [
        ("\ufb01nd the e\ufb03ciency, \ufb02at", "find the efficiency, flat"),
        ("co\u00adef\u00adficient", "coefficient"),
        ("5\u00a0cm and 3\u202fkg", "5 cm and 3 kg"),
        ("\U0001d465 + \U0001d7d2 = \U0001d5d4", "x + 4 = A"),
        ("3\u20444 of 2\u2215 5", "3/4 of 2/ 5"),
        ("f\u2032(x) + g\u2033", "f'(x) + g''"),
        ("co\u2011ordinates \u200bA\ufeff", "co-ordinates A"),
        ("３＋４＝７，（对）", "3+4=7，（对）"),
        ("2\u22c53 \u2217 4", "2·3 * 4"),
        ("line\u2028break\u000bhere", "line\nbreak\nhere"),
        ("½ cup, 25 cm², x₁", "½ cup, 25 cm², x₁"),  # seen, so not tidied away
        ("naïve Größe 3 − 2", "naïve Größe 3 − 2"),
    ],
)
def test_what_nobody_sees_is_tidied(copied, typed):
    assert tidy_characters(copied) == typed


@pytest.mark.parametrize(
    ("copied", "typed"),
    [
        ("½ × 3¾ − √16 ÷ 2", "1/2 × 3 3/4 − √16 ÷ 2"),
        ("10⁻³ and 10⁻¹²", "10^-3 and 10^-12"),
        ("x₁² + x₂²", "x_1^2 + x_2^2"),
        ("xⁿ⁺¹ − aₙ₊₁", "x^(n+1) − a_(n+1)"),
        ("log₂8", "log_2 8"),
        ("∫₀¹ 2ˣ dx", "∫_0^1 2^x dx"),
        ("2½x", "2 1/2x"),
        ("√½ + ½² + 2^½", "√(1/2) + (1/2)^2 + 2^(1/2)"),
        ("3/½", "3/(1/2)"),
        ("（½＋⅓）", "(1/2+1/3)"),
        ("⅛, ⅑ and ⅒", "1/8, 1/9 and 1/10"),
        ("plain 1/2", "plain 1/2"),
    ],
)
def test_one_character_for_several_is_spelt_out(copied, typed):
    assert keyboard_maths(copied) == typed


@pytest.mark.parametrize("unit", ["1", "½", "1½ ", "²", "x₁", "\u00ad"])
def test_spelling_out_a_long_text_ends(unit, no_hang):
    keyboard_maths(unit * 20_000)
