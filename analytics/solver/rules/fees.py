"""Interest that is not compounded."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import re

from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

# fmt: off
_SIMPLE = re.compile(r"\bsimple interest\b|\binterest\b[^.?]*\b(?:per|a|each|every) (?:year|annum)\b|\bannual (?:simple )?interest\b", re.IGNORECASE)
_NOT_SIMPLE = re.compile(r"\b(?:compound\w*|monthly|quarterly|half-yearly|twice|double|then|each month|withdraw\w*|tax|initial\w*|principal|rate of interest|how long)\b", re.IGNORECASE)
_ASKS_INTEREST = re.compile(r"\binterest\b", re.IGNORECASE)
_ASKS_AMOUNT = re.compile(r"\b(?:how much (?:money )?(?:is|will|does|are)|total amount|balance|altogether|in total)\b", re.IGNORECASE)
# fmt: on


@when(3, only="en", says=_SIMPLE, unless=_NOT_SIMPLE)
def simple_interest(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the simple interest of a sum, at a rate for some years or months, or for both together."""
    rates = [each for each in quantities if each.mention.kind is NumberKind.PERCENT]
    times = [each for each in quantities if each.unit_name in ("year", "month")]
    sums = [each for each in quantities if each not in rates and each not in times]
    if len(rates) != 1 or len(times) != 1 or len(sums) != 1 or "simple" not in reading.text.lower():
        return None
    years = times[0].tree if times[0].unit_name == "year" else times[0].tree / constant(12)
    interest = sums[0].tree * rates[0].tree * years
    if re.search(
        r"\bhow (?:much|many dollars|many pounds)[^?]*\binterest\b|(?:what is|find|calculate|work out) (?:the )?(?:amount of )?(?:simple )?interest\b",
        reading.text,
        re.IGNORECASE,
    ):
        return RuleAnswer(interest)
    return (
        RuleAnswer(sums[0].tree + interest)
        if _ASKS_AMOUNT.search(reading.question) and not _ASKS_INTEREST.search(reading.question)
        else None
    )
