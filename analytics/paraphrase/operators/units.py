"""Operators on units: f4 writes them out, f10 replaces them by others of their category; ours abbreviates them.

ParaQD (Gupta et al., 2022), sections 3.2 and 3.3; the table of units is in analytics.language.mentions. Unlike
in the paper, a unit's name agrees with its number, and there are areas, volumes and capacities too.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from analytics.language.mentions import ABBREVIATIONS, MONEY_SIGNS, NumberMention
from analytics.paraphrase.words.editing import Edit, agree_articles, apply_edits, formula_spans, overlaps, unit_words
from analytics.paraphrase.words.wording import pairs_of
from analytics.text.numbers import find_numbers
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
"""Maps a category to its interchangeable units."""

SHORT_FORMS = dict(pairs_of("short_units"))
_MONEY = {"dollar": "$", "euro": "€", "pound_sterling": "£", "rupee": "Rs. "}
_PERCENT = re.compile(r"(?<=\d)\s?%")
_SHORT = re.compile(r"/|[²³]|[a-z]\s?\^|[a-z]\{?[23]")
_SPEEDS = frozenset({"kmph", "kph", "mph"})
_MEASURES = re.compile(
    r"(?:\b(?:per|an?|each|every|how many|in|of|number of|how much|total|average|extra|more|fewer|several)|\d|[½¼¾/-])"
    r"\s?$",
    re.IGNORECASE,
)
_SOME_DAY = re.compile(r"\b(?:one|the other|some|a) day\b", re.IGNORECASE)
_SINGULAR_SPEED = re.compile(r"\s(?:per|an?|each|every)\s|/", re.IGNORECASE)


def _free_units(question: str) -> list[UnitMention]:
    """Return the units outside formulas."""
    formulas = formula_spans(question)
    return [unit for unit in find_units(question) if not overlaps(unit.start, unit.end, formulas)]


def write_out(question: str, _rng: random.Random) -> str | None:
    """Write out every abbreviated unit and percent sign (f4): "20 kmph", "$5"; None if there is none."""
    numbers = find_numbers(question)
    ends = {mention.end: mention for mention in numbers}
    starts = {mention.start: mention for mention in numbers}
    edits: list[Edit] = []
    for unit in _free_units(question):
        if _is_decade(question, unit):
            continue
        if unit.text in MONEY_SIGNS:
            edits += _money(question, unit, unit.unit, starts)
        elif unit.text in ABBREVIATIONS or unit.text.lower() in _SPEEDS or _SHORT.search(unit.text):
            before = question[: unit.start].rstrip(" -~")
            number = ends.get(len(before))
            hyphen = question[unit.start - 1 : unit.start] == "-"
            several = not hyphen and (number is None or number.value != 1)
            name = unit_words(unit.unit, several=several)
            if name is not None:
                glued = question[unit.start - 1 : unit.start].isdigit()
                end = unit.end + (question[unit.end : unit.end + 2] in {". ", ".,"} and unit.text not in _SPEEDS)
                edits.append((unit.start, end if _dot_is_the_units(question, end) else unit.end, " " * glued + name))
    formulas = formula_spans(question)
    edits += [
        (match.start(), match.end(), " percent")
        for match in _PERCENT.finditer(question)
        if not overlaps(match.start(), match.end(), formulas)
    ]
    return apply_edits(question, edits) if edits else None


def _is_decade(question: str, unit: UnitMention) -> bool:
    """Return whether an "s" turns a number into a decade: "the 90s"."""
    return unit.text == "s" and question[unit.start - 1 : unit.start] == "0"


def _dot_is_the_units(question: str, end: int) -> bool:
    """Return whether a full stop after a unit belongs to it ("5 hr. later"): the sentence continues in lower case."""
    return question[end - 1 : end] == "." and question[end:].lstrip()[:1].islower()


def abbreviate(question: str, _rng: random.Random) -> str | None:
    """Abbreviate every unit after a number in digits, the inverse of f4; None if there is none."""
    formulas = formula_spans(question)
    numbers = {mention.end: mention for mention in find_numbers(question) if mention.text[0].isdigit()}
    edits: list[Edit] = []
    for unit in find_units(question):
        number = numbers.get(len(question[: unit.start].rstrip()))
        if number is None or overlaps(number.start, unit.end, formulas):
            continue
        if unit.unit in _MONEY and unit.text[0].islower() and unit.text[-1] == "s":
            edits.append((number.start, unit.end, f"{_MONEY[unit.unit]}{number.text}"))
        elif unit.unit in SHORT_FORMS and len(unit.text) > len(SHORT_FORMS[unit.unit]):
            edits.append((unit.start, unit.end, SHORT_FORMS[unit.unit]))
    changed = apply_edits(question, edits)
    return changed if changed != question else None


def replace(question: str, rng: random.Random) -> str | None:
    """Replace one or more units, in the style of the old ones (f10); None if no unit measures something.

    If a unit occurs in several places, it is kept in at least one: renaming a unit throughout might not
    change the question.
    """
    numbers = find_numbers(question)
    number_ends = {number.end for number in numbers}
    starts = {number.start: number for number in numbers}
    by_unit: dict[str, list[UnitMention]] = {}
    for unit in _free_units(question):
        if unit.dimension in CATEGORIES and _measures(question, unit, number_ends):
            by_unit.setdefault(unit.unit, []).append(unit)
    edits: list[Edit] = []
    if by_unit:
        for name in rng.sample(sorted(by_unit), rng.randint(1, min(2, len(by_unit)))):
            mentions = by_unit[name]
            count = rng.randint(1, max(len(mentions) - 1, 1))
            new = rng.choice([unit for unit in CATEGORIES[mentions[0].dimension] if unit != name])
            for mention in rng.sample(mentions, count):
                edits += _written(question, mention, new, starts)
    changed = agree_articles(apply_edits(question, edits)) if edits else question
    return changed if changed != question else None


def _measures(question: str, unit: UnitMention, number_ends: set[int]) -> bool:
    if unit.text in MONEY_SIGNS:
        return True
    before = question[max(unit.start - 14, 0) : unit.start]
    if unit.unit == "day" and _SOME_DAY.search(question[max(unit.start - 10, 0) : unit.end]):
        return False
    return len(question[: unit.start].rstrip(" -")) in number_ends or _MEASURES.search(before) is not None


def _written(question: str, mention: UnitMention, new: str, starts: Mapping[int, NumberMention]) -> list[Edit]:
    """Replace a unit by another."""
    if mention.text in MONEY_SIGNS:
        return _money(question, mention, new, starts)
    words = mention.text.lower()
    is_short = mention.text in ABBREVIATIONS or words in _SPEEDS or "/" in words
    if is_short and new in SHORT_FORMS:
        return [(mention.start, mention.end, SHORT_FORMS[new])]
    head = words.split()[0] if _SINGULAR_SPEED.search(words) else words
    before = question[: mention.start].rstrip()
    several = head.endswith("s") or head in {"feet", "pence"} or (is_short and not before.endswith(" 1"))
    name = unit_words(new, several=several)
    glue = " " if question[mention.start - 1 : mention.start].isdigit() else ""
    return [] if name is None else [(mention.start, mention.end, glue + name)]


def _money(question: str, sign: UnitMention, unit: str, starts: Mapping[int, NumberMention]) -> list[Edit]:
    """Write a unit's name after the number that follows a money sign; no edits if there is no number."""
    number = starts.get(len(question) - len(question[sign.end :].lstrip(" ")))
    name = number and unit_words(unit, several=number.value != 1)
    if number is None or name is None:
        return []
    return [(sign.start, number.start, ""), (number.end, number.end, f" {name}")]
