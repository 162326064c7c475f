"""Operators on numbers: f3 writes them in words, f8 removes them; ours write digits, change a number, swap two.

ParaQD (Gupta et al., 2022), sections 3.2 and 3.3. Only whole numbers are replaced ("900" never becomes
"9zerozero"), and only outside formulas.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import combinations

from analytics.language.mentions import ABBREVIATIONS, MONEY_SIGNS, NumberMention
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
