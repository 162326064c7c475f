"""Faults that a teacher would reject in a generated problem: broken money, half children, stray pronouns. English.

A faulty problem is not shown. The checks are for typical mistakes of rules and models, not for style.
"""

from __future__ import annotations

import re

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate
from analytics.expression.parser import parse_expression
from analytics.language.en.units import WORDS
from analytics.paraphrase.words.entities import find_entities
from analytics.solver.plausibility import asks_for_count
from questionbank.problem_writing.editing import MEN, WOMEN, article

_MONEY = re.compile(r"[$£€]\s?\d[\d,]*\.(\d+)(?!\s?(?:million|billion|thousand))")
_ASKS_MONEY = re.compile(
    r"how (?:much|many)\b[^.?]*\b(?:money|costs?|pays?|paid|spends?|spent|earns?|earned|charge|dollars|euros|cents"
    r"|price|owe|saved?|change)\b|what (?:is|was) the (?:total |sale |new |final )?(?:cost|price)",
    re.IGNORECASE,
)
_BROKEN_COUNT = re.compile(r"(?<![\d.,$£€/])(\d+\.\d+|\d+/\d+) ([a-z]+s)\b(?! of)")
_MEASURES = frozenset(WORDS) | frozenset(str.split("times percent cents points units degrees liters litres servings"))
_LONE_PLURAL = re.compile(
    r"(?<![\d.,/$£€-])1 (?!is\b|was\b|has\b|as\b|this\b|less\b|plus\b|times\b)([a-z]{2,}[^su\W]s)\b"
)
_ARTICLE = re.compile(r"\b([Aa]n?) (\d[\d,]*|[a-z]{2,})")
_LIMITS = (  # maximum amounts in a day, a week and a year
    (re.compile(r"(\d+)[- ]hours? (?:a|per|each|every) day|(\d+)-hour (?:day|shift|workday)"), 16),
    (re.compile(r"(\d+) days (?:a|per|each|every) week"), 7),
    (re.compile(r"(\d+) months (?:a|per|each|every) year"), 12),
    (re.compile(r"(\d+)(?:\.\d+)?\s?% (?:off|discount|of (?:the|his|her|their|them|all))\b"), 100),
)
_PRONOUN = re.compile(r"\b(he|him|his|himself|she|her|hers|herself)\b", re.IGNORECASE)
_HIS = frozenset({"he", "him", "his", "himself"})
_PERSON = re.compile(
    r"\b(?:[a-z]*(?:man|woman|person|boy|girl|lady|er|or|ist|ian|eer|ant|ent)|dad|mom|mum|uncle|aunt|son|chef|cook|nurse"
    r"|judge|pilot|guide|coach|clerk|chief|boss|kid|child|friend|cousin|prince|princess|king|queen|nephew|niece|wife"
    r"|husband|bride|groom|someone|somebody|everyone|dog|cat|horse|hen|cow|bird)\b",
    re.IGNORECASE,
)
_NO_PERSON = frozenset(
    str.split("her after other under over or for per never number water paper summer winter another together rather")
)
_FEMALE = re.compile(
    r"\b(?:mother|mom|mum|grandma|grandmother|sister|aunt|girl|lady|woman|wife|daughter|niece|queen|hen|Mrs|Ms|Miss)\b"
)
_MALE = re.compile(r"\b(?:father|dad|grandpa|grandfather|brother|uncle|boy|man|husband|son|nephew|king|Mr)\b")
_BROKEN_GRAMMAR = re.compile(
    r"\b(?i:the|an?|of|his|her|their) (?:does|did|will|would|can|are|were) "
    r"|\d (?:[a-z]+ ){1,3}(?:her|him|them|me|us) ?[.?]"
    r"|\b(?:[Hh]e|[Ss]he|[Tt]hey|[A-Z][a-z]+) not [a-z]+ed\b|\b(the|a|an|of|to|in|for|and) \1\b"
)
_STARTS_LATE = re.compile(
    r"\W*(?:(?:When|If|After|As|Because|Since|While) )?"
    r"(?:they|it(?! (?:takes?|took|costs?|is|was)\b)|these|those|the others?)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"\b(?:s?he|they|it|him|hers?|his|theirs?|them|its|this|that|these|those|the others?|each|now|left|remain\w*|rest"
    r"|still|then|after\w*|altogether|in all|in total|total|more|(?:does|did|will|do|are|was|were) the)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"(?:If|After|When|Before|Being|Using|Given|Then|So)\b")


def fault(text: str, answer: str) -> str:
    """Describe what is wrong with an English problem; empty if no fault is found.

    Args:
        answer: formatted for people.
    """
    if any(len(match[1]) != 2 for match in _MONEY.finditer(text)):
        return "an amount of money has no two decimals"
    if reason := _answer_fault(text, answer):
        return reason
    if any(match[2] not in _MEASURES for match in _BROKEN_COUNT.finditer(text)):
        return "a thing that is counted is no whole number"
    if _LONE_PLURAL.search(text):
        return "one thing stands in the plural"
    for limited, most in _LIMITS:
        if any(int(next(filter(None, match.groups()))) > most for match in limited.finditer(text)):
            return "a number is larger than it can be"
    if any(match[1].lower() != article(match[2]).split()[0] for match in _ARTICLE.finditer(text)):
        return "an article does not fit its word"
    if _BROKEN_GRAMMAR.search(text):
        return "a sentence is broken"
    if _STARTS_LATE.match(text):
        return "it begins in the middle of a story"
    return _pronoun_fault(text)


def asks_for_money(text: str) -> bool:
    """Return whether a text asks for an amount of money."""
    return _ASKS_MONEY.search(text) is not None


def refers_back(question: str) -> bool:
    """Return whether a question depends on what is said before it, so that it cannot come first.

    >>> refers_back("How many does she have left?"), refers_back("How many pens did Ann buy?")
    (True, False)
    """
    return bool(_CONDITION.match(question) or _REFERS.search(question))


def _answer_fault(text: str, answer: str) -> str:
    try:
        value = evaluate(parse_expression(answer))
    except DataError:
        return "its answer has no value"
    if value.denominator != 1 and asks_for_count(text):
        return "it asks how many things there are, and the answer is no whole number"
    if (value * 100).denominator != 1 and asks_for_money(text):
        return "its answer is no amount of money"
    if value < 0:
        return "its answer is negative"
    return ""


def _pronoun_fault(text: str) -> str:
    first = _PRONOUN.search(text)
    if first is None:
        return ""
    entities = [
        mention
        for mention in find_entities(text, known=(*WOMEN, *MEN))
        if mention.category in ("woman", "man", "other")
    ]
    people = [match for match in _PERSON.finditer(text) if match[0].lower() not in _NO_PERSON]
    if not any(mention.start < first.start() for mention in entities) and not any(
        match.start() < first.start() for match in people
    ):
        return "a pronoun stands before the person it means"
    sexes = {sex for sex, word in (("woman", _FEMALE), ("man", _MALE)) if word.search(text)}
    if people and not sexes:
        sexes = {"man", "woman"}
    for mention in entities:
        sexes |= _sexes(mention.text, mention.category) or {"man", "woman"}
    asked = {"man" if match[0].lower() in _HIS else "woman" for match in _PRONOUN.finditer(text)}
    return "" if asked <= sexes else "a pronoun does not fit its name"


def _sexes(name: str, category: str) -> set[str]:
    """Return the sexes a name may have: for a name from our lists, that of its list; empty if not known."""
    if name in WOMEN:
        return {"woman"}
    if name in MEN:
        return {"man"}
    return {"woman": {"woman"}, "man": {"man"}}.get(category, set())
