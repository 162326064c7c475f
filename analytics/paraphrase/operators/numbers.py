"""Operators on numbers and on units.

ParaQD (Gupta et al., 2022), sections 3.2 and 3.3. On numbers, f3 writes them in words and f8 removes them; ours write
digits, change a number, swap two. Only whole numbers are replaced ("900" never becomes "9zerozero"), and only outside
formulas. On units, f4 writes them out and f10 replaces them by others of their category; ours abbreviates them.
Unlike in the paper, a unit's name agrees with its number, and there are areas, volumes and capacities too. The table
of units is in `analytics.language.mentions`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from analytics.language.mentions import ABBREVIATIONS, MONEY_SIGNS, NumberMention
from analytics.paraphrase.words.wording import (
    Edit,
    agree_articles,
    apply_edits,
    formula_spans,
    number_words,
    overlaps,
    pairs_of,
    tidy,
    unit_words,
)
from analytics.text.numbers import find_numbers
from analytics.text.units import UnitMention, find_units

QUANTIFIERS = ("some", "a few", "many", "a lot of", "")
"""Replacements for a number that f8 removes."""

_SIGNS = frozenset("=+*/^×÷()[]<>:_\\-–−{}")
_PERCENT = re.compile(r"\s*(?:%|percent|per cent)$", re.IGNORECASE)
_PARTS = re.compile(
    r"[\s-](?:halves|half|thirds?|quarters?|(?:four|fif|six|seven|eigh|nin|ten)ths?)\b"
)  # four quarters
_GLUED = re.compile(r"[A-Za-z/]+")
_KEPT_WORDS = re.compile(r"\b(?:one|half|a half|quarter|a quarter|a dozen|dozen|score)\b", re.IGNORECASE)
_MOST_DELETED = 2
_ARTICLE = re.compile(r"\b(?:a|an|the)\s$", re.IGNORECASE)
_HYPHEN = re.compile(r"-(?=[A-Za-z])")
_SYMMETRIC = re.compile(r"\b(?:in all|total|altogether|together|combined|sum|product|average)\b", re.IGNORECASE)


def _free_numbers(question: str) -> list[NumberMention]:
    """Return the numbers outside formulas."""
    formulas = formula_spans(question)
    return [mention for mention in find_numbers(question) if not overlaps(mention.start, mention.end, formulas)]


def in_words(question: str, _rng: random.Random) -> str | None:
    """Write the numbers in words (f3); None if no number in digits can be.

    Numbers attached to letters or signs ("3x", "2nd", "3:5") are not changed.
    """
    formulas = formula_spans(question)
    money = {unit.end: unit for unit in find_units(question) if unit.dimension == "money"}
    fixed = formulas + [(unit.start, unit.end) for unit in find_units(question)]  # "cm 2" is a unit
    edits: list[Edit] = []
    for mention in find_numbers(question):
        if not overlaps(mention.start, mention.end, fixed) and not _PARTS.match(question, mention.end):
            edits += _words(question, mention, money)
    return tidy(apply_edits(question, edits)) if edits else None


def _words(question: str, mention: NumberMention, money: dict[int, UnitMention]) -> list[Edit]:
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
    percent = _PERCENT.search(mention.text)
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


def in_digits(question: str, _rng: random.Random) -> str | None:
    """Write whole numbers in digits, the inverse of f3; None if none is in words.

    "One" and "half" are not changed.
    """
    edits = [
        (mention.start, mention.end, str(mention.value))
        for mention in _free_numbers(question)
        if mention.text[0].isalpha() and mention.value.denominator == 1 and not _KEPT_WORDS.search(mention.text)
    ]
    return apply_edits(question, edits) if edits else None


def delete(question: str, rng: random.Random) -> str | None:
    """Replace one or two numbers, each by one of `QUANTIFIERS` (f8); None if there is none except "one" or "half".

    A value that occurs several times is removed everywhere, or it would not be lost. Money and per cent signs
    are removed with their number.
    """
    mentions = [mention for mention in _free_numbers(question) if mention.text.lower() not in {"one", "half"}]
    values = sorted({mention.value for mention in mentions})
    if not values:
        return None
    chosen = {
        value: rng.choice(QUANTIFIERS) for value in rng.sample(values, min(rng.randint(1, _MOST_DELETED), len(values)))
    }
    signs = {unit.end: unit for unit in find_units(question) if unit.text in MONEY_SIGNS}
    edits = [
        _deletion(question, mention, chosen[mention.value], signs) for mention in mentions if mention.value in chosen
    ]
    return tidy(apply_edits(question, edits)) or None


def _deletion(question: str, mention: NumberMention, quantifier: str, signs: dict[int, UnitMention]) -> Edit:
    start, end = mention.start, mention.end
    sign = signs.get(len(question[:start].rstrip()))
    noun = ""
    if sign is not None:
        start = sign.start
        noun = unit_words(sign.unit, several=True) or ""
    elif _PERCENT.search(mention.text):
        noun = "percent"
    if quantifier == "":
        return start, end, ""
    article = _ARTICLE.search(question[max(start - 5, 0) : start])
    if article and quantifier.startswith("a "):
        start -= len(article[0])
    new = f"{quantifier} {noun}".rstrip()
    if hyphen := _HYPHEN.match(question, end):  # "a 3-metre rope" becomes "a some metre rope"
        return start, hyphen.end(), new + " "
    return start, end, new + (" " if question[end : end + 1].isalpha() else "")


def change(question: str, rng: random.Random) -> str | None:
    """Change one number slightly everywhere: one digit, or a few more or less; None if no number can change."""
    mentions = [mention for mention in _free_numbers(question) if mention.text.lower() not in {"one", "half", "a half"}]
    if not mentions:
        return None
    chosen = rng.choice(mentions)
    new = _another(chosen, {mention.value for mention in mentions}, rng)
    if new is None:
        return None
    return apply_edits(
        question, [(mention.start, mention.end, new) for mention in mentions if mention.text == chosen.text]
    )


def _another(mention: NumberMention, taken: set[Fraction], rng: random.Random) -> str | None:
    if mention.text[0].isdigit():
        places = [index for index, character in enumerate(mention.text) if character.isdigit()]
        for _ in range(20):
            at = rng.choice(places)
            digit = rng.choice("123456789" if at == places[0] else "0123456789")
            new = mention.text[:at] + digit + mention.text[at + 1 :]
            numbers = find_numbers(new)
            if len(numbers) == 1 and numbers[0].value not in taken and numbers[0].value > 0:
                return new
        return None
    if mention.value.denominator != 1:
        return None
    near = [mention.value + step for step in (-5, -3, -2, -1, 1, 2, 3, 5, 10)]
    free = [value for value in near if value > 1 and value not in taken]
    return number_words(rng.choice(free)) if free else None


def swap(question: str, rng: random.Random) -> str | None:
    """Swap two numbers of different value; None if there are no two that occur once each.

    Numbers joined by "and", "or", "to" or a sign ("3 and 5", "3:5") are not swapped, nor are numbers in a
    question for a sum, a product or an average, because their order may not matter there.
    """
    if _SYMMETRIC.search(question):
        return None
    mentions = _free_numbers(question)
    once = [mention for mention in mentions if sum(peer.value == mention.value for peer in mentions) == 1]
    pairs = [
        (first, second)
        for first, second in combinations(once, 2)
        if _same_kind(first, second) and _apart(question, first, second)
    ]
    if not pairs:
        return None
    first, second = rng.choice(pairs)
    return apply_edits(question, [(first.start, first.end, second.text), (second.start, second.end, first.text)])


def _same_kind(first: NumberMention, second: NumberMention) -> bool:
    """Return whether both are in digits or both in words, and both per cent or neither."""
    return first.text[0].isdigit() == second.text[0].isdigit() and ("%" in first.text) == ("%" in second.text)


def _apart(question: str, first: NumberMention, second: NumberMention) -> bool:
    return sum(word.isalpha() for word in question[first.end : second.start].split()) >= 2


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
_PERCENT_SIGN = re.compile(r"(?<=\d)\s?%")
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


def write_out_units(question: str, _rng: random.Random) -> str | None:
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
        for match in _PERCENT_SIGN.finditer(question)
        if not overlaps(match.start(), match.end(), formulas)
    ]
    return apply_edits(question, edits) if edits else None


def _is_decade(question: str, unit: UnitMention) -> bool:
    """Return whether an "s" turns a number into a decade: "the 90s"."""
    return unit.text == "s" and question[unit.start - 1 : unit.start] == "0"


def _dot_is_the_units(question: str, end: int) -> bool:
    """Return whether a full stop after a unit belongs to it ("5 hr. later"): the sentence continues in lower case."""
    return question[end - 1 : end] == "." and question[end:].lstrip()[:1].islower()


def abbreviate_units(question: str, _rng: random.Random) -> str | None:
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


def replace_units(question: str, rng: random.Random) -> str | None:
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
