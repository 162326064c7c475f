"""Extra positive: units behind a number are abbreviated, f4 the other way round ("200 kilometres" -> "200 km")."""

from __future__ import annotations

import random

from analytics.paraphrase.operators.unit_replacement import SHORT_FORMS
from analytics.paraphrase.words.editing import Edit, apply_edits, formula_spans, overlaps
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

_SIGNS = {"dollar": "$", "euro": "€", "pound_sterling": "£", "rupee": "Rs. "}


def apply(question: str, _rng: random.Random) -> str | None:
    """Abbreviate every unit that follows a number in digits; None where there is none."""
    formulas = formula_spans(question)
    numbers = {mention.end: mention for mention in find_numbers(question) if mention.text[0].isdigit()}
    edits: list[Edit] = []
    for unit in find_units(question):
        number = numbers.get(len(question[: unit.start].rstrip()))
        if number is None or overlaps(number.start, unit.end, formulas):
            continue
        if unit.unit in _SIGNS and unit.text[0].islower() and unit.text[-1] == "s":
            edits.append((number.start, unit.end, f"{_SIGNS[unit.unit]}{number.text}"))
        elif unit.unit in SHORT_FORMS and len(unit.text) > len(SHORT_FORMS[unit.unit]):
            edits.append((unit.start, unit.end, SHORT_FORMS[unit.unit]))
    changed = apply_edits(question, edits)
    return changed if changed != question else None
