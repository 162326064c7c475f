"""f4: abbreviated units are written out: "20 kmph" becomes "20 kilometres per hour", "$5" becomes "5 dollars".

ParaQD (Gupta et al., 2022), section 3.2. The table of units is analytics.text.unit_names. Unlike the paper, the
name agrees with its number.
"""

from __future__ import annotations

import random
import re

from analytics.language.mentions import NumberMention
from analytics.paraphrase.words.editing import Edit, apply_edits, formula_spans, overlaps, unit_words
from analytics.text.numbers import find_numbers
from analytics.text.unit_names import ABBREVIATIONS, MONEY_SIGNS
from analytics.text.units import UnitMention, find_units

_PERCENT = re.compile(r"(?<=\d)\s?%")
_SHORT = re.compile(r"/|[²³]|[a-z]\s?\^|[a-z]\{?[23]")
_SPEEDS = frozenset({"kmph", "kph", "mph"})


def apply(question: str, _rng: random.Random) -> str | None:
    """Write out every abbreviated unit and percent sign; None where there is none."""
    formulas = formula_spans(question)
    numbers = find_numbers(question)
    ends = {mention.end: mention for mention in numbers}
    starts = {mention.start: mention for mention in numbers}
    edits: list[Edit] = []
    for unit in find_units(question):
        if overlaps(unit.start, unit.end, formulas) or _is_decade(question, unit):
            continue
        if unit.text in MONEY_SIGNS:
            edits += _money(question, unit, starts)
        elif unit.text in ABBREVIATIONS or unit.text.lower() in _SPEEDS or _SHORT.search(unit.text):
            before = question[: unit.start].rstrip(" -~")
            number = ends.get(len(before))
            hyphen = question[unit.start - 1 : unit.start] == "-"
            several = not hyphen and (number is None or number.value != 1)
            name = unit_words(unit.unit, several=several)
            if name is not None:
                glued = question[unit.start - 1 : unit.start].isdigit()
                end = unit.end + (
                    question[unit.end : unit.end + 2] in {". ", ".,"} and unit.text not in _SPEEDS
                )
                edits.append(
                    (unit.start, end if _dot_is_the_units(question, end) else unit.end, " " * glued + name)
                )
    edits += [
        (match.start(), match.end(), " percent")
        for match in _PERCENT.finditer(question)
        if not overlaps(match.start(), match.end(), formulas)
    ]
    return apply_edits(question, edits) if edits else None


def _is_decade(question: str, unit: UnitMention) -> bool:
    """Return whether an "s" makes a decade of a number: "the 90s"."""
    return unit.text == "s" and question[unit.start - 1 : unit.start] == "0"


def _dot_is_the_units(question: str, end: int) -> bool:
    """Return whether a full stop behind a unit belongs to it ("5 hr. later"): the sentence goes on in small letters."""
    return question[end - 1 : end] == "." and question[end:].lstrip()[:1].islower()


def _money(question: str, unit: UnitMention, starts: dict[int, NumberMention]) -> list[Edit]:
    at = unit.end
    while question[at : at + 1] == " ":
        at += 1
    number = starts.get(at)
    if number is None:
        return []
    name = unit_words(unit.unit, several=number.value != 1)
    if name is None:
        return []
    return [(unit.start, number.start, ""), (number.end, number.end, f" {name}")]
