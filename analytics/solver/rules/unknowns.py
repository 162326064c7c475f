"""Two unknown numbers of which the sum and the difference are given."""

from __future__ import annotations

import re

from analytics.expression.tree import ExpressionTree
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

_NAME = r"(?P<{0}>[A-Z][a-z]+|(?:[Hh]is|[Hh]er|[Tt]he|[Aa]) [a-z]+)"
_COMPARISON = re.compile(
    rf"\b{_NAME.replace('{0}', 'a')} (?:is|has|have|got|scored|sold|collected"
    rf"|weighs|costs|made|picked|ate|earns|saved|read|ran)\s"
    r"(?:exactly\s)?(?P<count>(?:[^.?!,]|[.,](?=\d)){0,20}?)"
    r"(?P<more>more|older|taller|longer|heavier|fewer|less|younger|shorter|lighter"
    r"|times as (?:many|much|old|long|heavy|tall))\b"
    rf"(?P<noun>[^.?!,]*?)\b(?:than|as) {_NAME.replace('{0}', 'b')}(?:['’]s\b[^.?!,]*"
    rf"|\s(?:does|has|is))?(?=\s*(?:[.?!,]|$))"
)
_TOTAL = re.compile(r"\b(?:sum|together|total|in all|altogether|combined)\b", re.IGNORECASE)
_FURTHER = re.compile(
    r"\b(?:twice|double|half|each|third|another|after|gave|gives|bought|then)\b", re.IGNORECASE
)
_FEWER = frozenset({"fewer", "less", "younger", "shorter", "lighter"})
_ASKS = re.compile(r"\bhow (?:many|much|old|tall|long|heavy)\b", re.IGNORECASE)


@when(2, asks=_ASKS, says=_COMPARISON, unless=_FURTHER)
def one_of_two(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "Ana is 3 years older than Bo. The sum of their ages is 25. How old is Bo?", "3 times as many as"."""
    match = _COMPARISON.search(reading.text)
    if match is None or re.search(r"\b(?:more|fewer|than|times)\b", reading.question):
        return None
    inside = [each for each in quantities if match.start() <= each.mention.start < match.end()]
    if len(inside) != 1 or (match["more"][:5] != "times" and "times" in match[0]):
        return None
    step, total = inside[0], next(each for each in quantities if each is not inside[0])
    clause = reading.clause_around(total)
    if not _TOTAL.search(clause) or re.search(
        r"\bhow\b", clause.partition(total.mention.text)[0], re.IGNORECASE
    ):
        return None
    asked = [
        name
        for name in ("a", "b")
        if re.search(rf"\b{re.escape(match[name])}\b", reading.question, re.IGNORECASE)
    ]
    if len(asked) != 1:
        return None
    is_first = asked[0] == "a"
    if match["more"].startswith("times"):
        unit = total.tree / (step.tree + constant(1))
        return RuleAnswer(unit * step.tree if is_first else unit)
    if total.value <= step.value or (total.unit_name and step.unit_name not in ("", total.unit_name)):
        return None
    return RuleAnswer(_half(total.tree, step.tree, is_larger=is_first != (match["more"] in _FEWER)))


def _half(total: ExpressionTree, difference: ExpressionTree, *, is_larger: bool) -> ExpressionTree:
    return (total + difference if is_larger else total - difference) / constant(2)


_SUM_AND_DIFFERENCE = re.compile(
    r"\bsum\b\D{0,60}?(?P<s>\d[\d,.]*)\D{0,60}?\bdifference\b\D{0,40}?(?P<d>\d[\d,.]*)"
    r"|\bdifference\b\D{0,60}?(?P<d2>\d[\d,.]*)\D{0,60}?\bsum\b\D{0,40}?(?P<s2>\d[\d,.]*)"
    r"|和[是为]?(?P<s3>\d+)\D{0,8}差[是为]?(?P<d3>\d+)",
    re.IGNORECASE,
)
_LARGER = re.compile(r"\b(?:larger|greater|bigger|largest|greatest)\b|[较更]?大的?数", re.IGNORECASE)
_SMALLER = re.compile(r"\b(?:smaller|lesser|less|smallest)\b|[较更]?小的?数", re.IGNORECASE)


def larger_or_smaller(reading: Reading) -> RuleAnswer | None:
    """Answer for the larger or the smaller of two numbers whose sum and difference are given."""
    match = _SUM_AND_DIFFERENCE.search(reading.text)
    quantities = [each for each in reading.counted() if each.mention.text.lower() not in ("two", "两", "2")]
    if match is None or len(quantities) != 2:
        return None
    is_larger, is_smaller = (pattern.search(reading.question) is not None for pattern in (_LARGER, _SMALLER))
    if is_larger == is_smaller:
        return None
    is_sum_first = match["s"] is not None or match["s3"] is not None
    total, difference = quantities if is_sum_first else reversed(quantities)
    if total.value <= difference.value:
        return None
    return RuleAnswer(_half(total.tree, difference.tree, is_larger=is_larger))
