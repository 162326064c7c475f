"""Containers that are partly full: how much they hold, by what a part of it is."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import re

from analytics.language.mentions import NumberKind
from analytics.solver.rules.conversions import asked_unit, in_unit
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when

# fmt: off
_FULL = re.compile(r"\bfull\b|\bcapacity\b", re.IGNORECASE)
_ADDED = re.compile(r"\b(?:add(?:s|ed|ing)?|pour(?:s|ed|ing)? (?:in|into)|poured|filling|put(?:s|ting)? in|pumped in|more)\b", re.IGNORECASE)
_TAKEN = re.compile(r"\b(?:us(?:es|ed|ing)|tak(?:es|en|ing)|took|remov\w+|pour\w* (?:out|away|off)|drain\w*|dr[aiu]nk\w*|drawn|leak\w*|spill\w*|burn\w*)\b", re.IGNORECASE)
_HOLDS = re.compile(r"\bhow (?:much|many)\b[^?]*\b(?:hold|fit|contain|there (?:be )?in)\b|\bcapacity\b|\bwhen (?:it is )?(?:completely )?full\b|\bfull (?:tank|barrel|jug|bottle|container|bucket|pool|bath)\b", re.IGNORECASE)
_TO_FILL = re.compile(r"\b(?:to fill|more|needed|until it is full|must be added|fill it up)\b", re.IGNORECASE)
_STATE = re.compile(r"<(?P<n>\d)>(?: of the way| of its capacity| of capacity|-)? ?full\b|\bfull to <(?P<m>\d)>", re.IGNORECASE)
# fmt: on


@when(2, 3, only="en", says=_FULL)
def capacity(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "A tank is 1/4 full. After 30 litres are added it is 5/8 full. How much does it hold?" and the like."""
    states = [quantities[int(match["n"] or match["m"])] for match in _STATE.finditer(reading.marked)]
    shares = [each for each in quantities if each.mention.kind in (NumberKind.FRACTION, NumberKind.PERCENT)]
    amounts = [each for each in quantities if each not in shares]
    is_read = states == shares and all(0 < each.value < 1 for each in shares) and len(amounts) == 1
    if not is_read or not shares or amounts[0].unit is None:
        return None
    amount = in_unit(amounts[0], asked_unit(reading)) if asked_unit(reading) else amounts[0].tree
    if amount is None or not _HOLDS.search(reading.question):
        return None
    if len(shares) == 1:
        is_part = not (_ADDED.search(reading.text) or _TAKEN.search(reading.text))
        return (
            RuleAnswer(amount / shares[0].tree) if is_part and not _TO_FILL.search(reading.question) else None
        )
    first, second = shares
    words = reading.text[first.end : reading.text.rfind(reading.asked)]
    is_filled = second.value > first.value
    if (
        first.value == second.value
        or not (_ADDED if is_filled else _TAKEN).search(words)
        or _TO_FILL.search(reading.asked)
    ):
        return None
    part = second.tree - first.tree if is_filled else first.tree - second.tree
    return RuleAnswer(amount / part)
