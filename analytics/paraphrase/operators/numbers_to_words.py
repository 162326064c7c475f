"""f3: every number in digits is written in words.

ParaQD (Gupta et al., 2022), section 3.2. A number is replaced where it stands and nowhere else ("900" never
becomes "9zerozero"), outside formulas; what is glued to letters or signs ("3x", "2nd", "3:5") stays.
"""

from __future__ import annotations

import random
import re

from analytics.language.mentions import NumberMention
from analytics.paraphrase.words.editing import (
    Edit,
    apply_edits,
    formula_spans,
    number_words,
    overlaps,
    tidy,
    unit_words,
)
from analytics.text.numbers import find_numbers
from analytics.text.unit_names import ABBREVIATIONS
from analytics.text.units import UnitMention, find_units

_SIGNS = frozenset("=+*/^×÷()[]<>:_\\-–−{}")
_ENDS_WITH_PERCENT = re.compile(r"(\s*)(%|percent|per cent)$", re.IGNORECASE)
_PARTS = re.compile(
    r"[\s-](?:halves|half|thirds?|quarters?|(?:four|fif|six|seven|eigh|nin|ten)ths?)\b"
)  # four quarters
_GLUED = re.compile(r"[A-Za-z/]+")


def apply(question: str, _rng: random.Random) -> str | None:
    """Write the numbers in words; None where there is none in digits that can be."""
    formulas = formula_spans(question)
    money = {unit.end: unit for unit in find_units(question) if unit.dimension == "money"}
    fixed = formulas + [(unit.start, unit.end) for unit in find_units(question)]  # "cm 2" is a unit
    edits: list[Edit] = []
    for mention in find_numbers(question):
        if not overlaps(mention.start, mention.end, fixed) and not _PARTS.match(question, mention.end):
            edits += _edits(question, mention, money)
    return tidy(apply_edits(question, edits)) if edits else None


def _edits(question: str, mention: NumberMention, money: dict[int, UnitMention]) -> list[Edit]:
    start, end = mention.start, mention.end
    if not any(character.isdigit() for character in mention.text):
        return []
    before = question[:start].rstrip()
    sign = money.get(len(before))
    if sign is not None:
        before = question[: sign.start]
    after = question[end : end + 1]
    if before and (before[-1] in _SIGNS or (before[-1].isalnum() and question[start - 1 : start].isalnum())):
        return []
    if after and after in _SIGNS - frozenset("-)"):
        return []
    glue = ""
    if after.isalpha():
        letters = _GLUED.match(question, end)
        if letters is None or letters[0] not in ABBREVIATIONS or letters[0] == "s":  # "the 90s"
            return []
        glue = " "
    percent = _ENDS_WITH_PERCENT.search(mention.text)
    value = mention.value * 100 if percent else mention.value
    words = number_words(value, decimal="." in mention.text and value.denominator > 1)
    if words is None:
        return []
    if sign is None:
        return [(start, end, words + (" percent" if percent else "") + glue)]
    name = unit_words(sign.unit, several=value != 1)
    if name is None or value.denominator != 1:
        return []
    return [(sign.start, end, f"{words} {name}")]
