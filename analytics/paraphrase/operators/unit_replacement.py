"""f10: units are replaced by others of the same category: "hours" become "minutes", "100 km" becomes "100 m".

ParaQD (Gupta et al., 2022), section 3.3: currency, length, time, weight, speed; areas, volumes and capacities
are added. The new unit is written as the old one was (abbreviated, one, several). Where a unit stands in several
places, it stays in at least one: a unit renamed throughout might leave the question as it was.
"""

from __future__ import annotations

import random
import re

from analytics.paraphrase.words.editing import (
    Edit,
    agree_articles,
    apply_edits,
    formula_spans,
    overlaps,
    unit_words,
)
from analytics.text.numbers import find_numbers
from analytics.text.unit_names import ABBREVIATIONS, MONEY_SIGNS
from analytics.text.units import UnitMention, find_units

CATEGORIES: dict[str, tuple[str, ...]] = {
    "money": ("dollar", "dollar_cent", "dollar_dime", "rupee", "paisa", "euro"),
    "length": ("millimeter", "centimeter", "meter", "kilometer", "inch", "foot", "yard", "mile"),
    "time": ("second", "minute", "hour", "day", "week", "month", "year"),
    "mass": ("gram", "kilogram", "milligram", "pound", "ounce", "ton"),
    "speed": (
        "kilometer / hour",
        "mile / hour",
        "meter / second",
        "meter / minute",
        "centimeter / second",
        "foot / second",
    ),
    "volume": ("liter", "milliliter", "gallon", "quart", "pint", "cup", "tablespoon"),
    "area": ("centimeter ** 2", "meter ** 2", "kilometer ** 2", "inch ** 2", "foot ** 2", "hectare", "acre"),
}
"""Category -> the units that may stand for one another."""

SHORT_FORMS = {
    "millimeter": "mm",
    "centimeter": "cm",
    "meter": "m",
    "kilometer": "km",
    "foot": "ft",
    "gram": "g",
    "kilogram": "kg",
    "milligram": "mg",
    "pound": "lb",
    "ounce": "oz",
    "second": "sec",
    "minute": "min",
    "hour": "hr",
    "liter": "L",
    "milliliter": "mL",
    "kilometer / hour": "km/h",
    "mile / hour": "mph",
    "meter / second": "m/s",
    "meter / minute": "m/min",
    "centimeter / second": "cm/s",
    "foot / second": "ft/s",
}
_MEASURES = re.compile(
    r"(?:\b(?:per|an?|each|every|how many|in|of|number of|how much|total|average|extra|more|fewer|several)|\d|[½¼¾/-])"
    r"\s?$",
    re.IGNORECASE,
)
_SOME_DAY = re.compile(r"\b(?:one|the other|some|a) day\b", re.IGNORECASE)
_SINGULAR_SPEED = re.compile(r"\s(?:per|an?|each|every)\s|/", re.IGNORECASE)


def apply(question: str, rng: random.Random) -> str | None:
    """Replace one unit or more; None where there is none that measures something."""
    formulas = formula_spans(question)
    number_ends = {number.end for number in find_numbers(question)}
    units = [
        unit
        for unit in find_units(question)
        if unit.dimension in CATEGORIES
        and not overlaps(unit.start, unit.end, formulas)
        and _measures(question, unit, number_ends)
    ]
    by_unit: dict[str, list[UnitMention]] = {}
    for unit in units:
        by_unit.setdefault(unit.unit, []).append(unit)
    edits: list[Edit] = []
    if units:
        for name in rng.sample(sorted(by_unit), rng.randint(1, min(2, len(by_unit)))):
            mentions = by_unit[name]
            count = rng.randint(1, max(len(mentions) - 1, 1))
            new = rng.choice([unit for unit in CATEGORIES[mentions[0].dimension] if unit != name])
            for mention in rng.sample(mentions, count):
                edits += _written(question, mention, new)
    changed = agree_articles(apply_edits(question, edits)) if edits else question
    return changed if changed != question else None


def _measures(question: str, unit: UnitMention, number_ends: set[int]) -> bool:
    if unit.text in MONEY_SIGNS:
        return True
    before = question[max(unit.start - 14, 0) : unit.start]
    if unit.unit == "day" and _SOME_DAY.search(question[max(unit.start - 10, 0) : unit.end]):
        return False
    return len(question[: unit.start].rstrip(" -")) in number_ends or _MEASURES.search(before) is not None


def _written(question: str, mention: UnitMention, new: str) -> list[Edit]:
    """Write a unit in the place of another."""
    if mention.text in MONEY_SIGNS:
        at = mention.end
        while question[at : at + 1] == " ":
            at += 1
        number = next((candidate for candidate in find_numbers(question) if candidate.start == at), None)
        name = unit_words(new, several=number is None or number.value != 1)
        if number is None or name is None:
            return []
        return [(mention.start, at, ""), (number.end, number.end, f" {name}")]
    words = mention.text.lower()
    is_short = mention.text in ABBREVIATIONS or words in {"kmph", "kph", "mph"} or "/" in words
    if is_short and new in SHORT_FORMS:
        return [(mention.start, mention.end, SHORT_FORMS[new])]
    head = words.split()[0] if _SINGULAR_SPEED.search(words) else words
    before = question[: mention.start].rstrip()
    several = head.endswith("s") or head in {"feet", "pence"} or (is_short and not before.endswith(" 1"))
    name = unit_words(new, several=several)
    glue = " " if question[mention.start - 1 : mention.start].isdigit() else ""
    return [] if name is None else [(mention.start, mention.end, glue + name)]
