"""Numbers below zero: by how much something rises or falls, and to what."""

from __future__ import annotations

import re

from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when

_ASKS_CHANGE = re.compile(
    r"\b(?:by how (?:many|much)|how (?:many|much) (?:degrees|warmer|colder|higher"
    r"|lower|more|less)|how (?:many|much)\b.*\b(?:fall|rise|drop|change|increase"
    r"|decrease|differ)"
    r"|difference)\b|多少(?:度|摄氏度)|相差|温差",
    re.IGNORECASE,
)
_ASKS_LEVEL = re.compile(
    r"\bwhat (?:is|was|will)\b.*\b(?:temperature|level|it)\b|\bhow (?:warm|cold)\b|气温是|温度是",
    re.IGNORECASE,
)
_RISES = re.compile(
    r"\b(?:r[io]se[sn]?|increase[ds]?|went up|goes up|climb(?:s|ed)|warmer|higher|up)\b|升|上升|升高",
    re.IGNORECASE,
)
_FALLS = re.compile(
    r"\b(?:fell|falls?|dropp?(?:s|ed)?|decrease[ds]?|went down|goes down|sank|colder|lower|down)\b|降|下降|降低",
    re.IGNORECASE,
)


@when(2)
def change_of_level(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for two numbers, one of them below zero: how far apart they are, or what follows a rise or a fall."""
    if all(each.value >= 0 for each in quantities) or "比" in reading.text:
        return None
    first, second = quantities
    rises, falls = (pattern.search(reading.text) is not None for pattern in (_RISES, _FALLS))
    if _ASKS_LEVEL.search(reading.question) and not _ASKS_CHANGE.search(reading.question):
        if rises == falls or second.value < 0:
            return None
        return RuleAnswer(first.tree + second.tree if rises else first.tree - second.tree)
    if _ASKS_CHANGE.search(reading.question):
        larger, smaller = (first, second) if first.value >= second.value else (second, first)
        return RuleAnswer(larger.tree - smaller.tree)
    return None
