"""Numbers below zero: by how much something rises or falls, and to what."""

from __future__ import annotations

import re

from analytics.language.mentions import NumberKind
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, when

_ASKS_CHANGE = re.compile(
    r"\b(?:by how (?:many|much)|how (?:many|much) (?:degrees|warmer|colder|higher"
    r"|lower|more|less)|how (?:many|much)\b.*\b(?:fall|rise|drop|change|increase"
    r"|decrease|differ)"
    r"|difference)\b|多少(?:度|摄氏度)|相差|温差",
    re.IGNORECASE,
)
_ASKS_LEVEL = re.compile(
    r"\bwhat (?:is|was|will)\b.*\b(?:temperature|level|it)\b|\bhow (?:warm|cold)\b|(?:气温|温度)(?:是|为)?(?:多少|几)",
    re.IGNORECASE,
)
_RISES = re.compile(
    r"\b(?:r[io]se[sn]?|increase[ds]?|went up|goes up|climb(?:s|ed)|warmer|higher|up)\b|升|高",
    re.IGNORECASE,
)
_FALLS = re.compile(
    r"\b(?:fell|falls?|dropp?(?:s|ed)?|decrease[ds]?|went down|goes down|sank|colder|lower|down)\b|降|低",
    re.IGNORECASE,
)


_KINDS = (NumberKind.INTEGER, NumberKind.DECIMAL, NumberKind.FRACTION)
_DEGREES = re.compile(r"\btemperature|°|℃|\bdegrees? (?:C|Celsius)\b|气温|温度", re.IGNORECASE)
_OTHER_CHANGE = re.compile(
    r"\b(?:every|each|per|hour|average|twice|half|mean|how many times)\b|平均|每", re.IGNORECASE
)


@when(2, 6)
def change_of_level(reading: Reading, _numbers: list[Quantity]) -> RuleAnswer | None:
    """Answer for numbers of which one is below zero, or a temperature: how far apart, or what follows each change."""
    quantities = reading.plain()  # without times of day
    is_below = any(each.value < 0 for each in quantities)
    if len(quantities) < 2 or any(each.mention.kind not in _KINDS for each in quantities):
        return None
    if not (is_below or _DEGREES.search(reading.text)) or _OTHER_CHANGE.search(reading.text):
        return None
    if _ASKS_LEVEL.search(reading.question) and not _ASKS_CHANGE.search(reading.question.replace("多少", "")):
        return _level_after(reading, quantities)
    if not is_below or len(quantities) != 2 or "比" in reading.text:
        return None
    first, second = quantities
    if _ASKS_CHANGE.search(reading.question):
        larger, smaller = (first, second) if first.value >= second.value else (second, first)
        return RuleAnswer(larger.tree - smaller.tree)
    return None


def _level_after(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Return the level after each rise and fall; the words of each stand around its number."""
    tree, begin = quantities[0].tree, quantities[0].end
    for change in quantities[1:]:
        words = reading.text[begin : change.end]
        words += re.split(r"[.,;?，。；]|\band\b", reading.text[change.end :])[0]
        is_up, is_down = (pattern.search(words) is not None for pattern in (_RISES, _FALLS))
        if is_up == is_down or change.value < 0 or change.end > reading.text.rfind(reading.asked):
            return None
        tree, begin = (tree + change.tree if is_up else tree - change.tree), change.end
    return RuleAnswer(tree)
