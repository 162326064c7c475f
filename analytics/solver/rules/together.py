"""Work that several do together at their own rates: people, machines, pipes that fill and drains that empty."""

# ruff: noqa: E501 - a pattern a line

from __future__ import annotations

import re
from fractions import Fraction
from functools import reduce
from operator import add

from analytics.expression.tree import ExpressionTree
from analytics.solver.rules.conversions import asked_unit, conversion_factor, scaled
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, when

# fmt: off
_WORK = re.compile(
    r"\b(?:paint\w*|fill\w*|empt(?:y|ies|ied)|clean\w*|finish\w*|complet\w+|build\w*|dig|digs|mow\w*|prints?|printed|sort\w*|plough\w*|plow\w*|weed\w*"
    r"|wash\w*|make|makes|do|does|job|task|order|work\w*|harvest\w*|pick\w*|assembl\w*|deliver\w*|tile\w*|pack\w*|repair\w*|type|types|bake\w*|decorat\w*"
    r"|shovel\w*|rake\w*|load\w*|unload\w*|pump\w*)\b|完成|工程|修|做|注满|合作", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:together|both|jointly|all (?:two|three)|side by side|combined|at the same time|helps?)\b|合作|合[修做]|同时|一起|两队", re.IGNORECASE)
_ALONE = re.compile(r"\b(?:alone|by (?:him|her|it)self|on (?:his|her|its) own|the (?:other|second|first|slower|faster)(?: one)?)\b|单独", re.IGNORECASE)
_DRAINS = re.compile(r"\b(?:empt(?:ies|ied|ying)|(?:can|to|will) empty|drains?|drained|leaks?|outlet)\b|放完|排", re.IGNORECASE)
_TWO = re.compile(r"\w (?:and|with) [a-z]+\b(?! then)|[和与]", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:leaves?|left(?! (?:open|on|running))|then|stops?|joins?|joined|later|each day|per|every|faster|twice|half|times|more|less|fewer|rate of|days? a week|walk\w*|km|years? old"
    r"|average|total|remaining|rest|again|laps?|track|meet|before|quits?|quit|indisposed|absent|started \w+ early)\b|%|先|后来|剩|倍|多|少(?!天|小时|分)", re.IGNORECASE)
_ASKS_TIME = re.compile(r"\bhow (?:long|many (?:hours|minutes|days|weeks|seconds))\b|\bwhen\b|几(?:天|小时|分钟|个小时)|多少(?:天|小时|分钟)", re.IGNORECASE)
# fmt: on


@when(2, 4, says=_WORK, asks=_ASKS_TIME, unless=_OTHERWISE)
def time_together(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "Ana paints a wall in 6 hours, Ben in 3. How long together?", or for one, where both together is told."""
    times = [each for each in quantities if each.unit is not None and each.unit.dimension == "time"]
    others = [each for each in quantities if each not in times]
    is_counted = all(each.unit is None and each.value == len(times) for each in others) and len(others) < 2
    if not 2 <= len(times) <= 3 or not is_counted or len({each.unit_name for each in times}) > 1:
        return None
    is_told = [_is_of_several(reading, times, place) for place in range(len(times))]
    rates = [constant(1) / each.tree for each in times]
    if _TOGETHER.search(reading.text, times[-1].end) and not any(is_told):
        return _in_asked_unit(reading, times[0], _with_drain(reading, times, rates))
    if is_told.count(True) == 1 and len(times) == 2 and _ALONE.search(reading.question):
        both = is_told.index(True)
        is_longer = times[1 - both].value > times[both].value
        tree = constant(1) / (rates[both] - rates[1 - both])
        return _in_asked_unit(reading, times[0], tree) if is_longer else None
    return None


def _is_of_several(reading: Reading, times: list[Quantity], place: int) -> bool:
    """Return whether a time is that of several together: "both in 4 hours", "Al and Bo in 4 hours"."""
    begin = times[place - 1].end if place else 0
    told = re.split(r"[.;?。；]", reading.text[begin : times[place].start])[-1]
    is_list = "respectively" in reading.text or "分别" in reading.text
    is_two = _TWO.search(told.strip().removeprefix("and ")) is not None and not is_list
    return is_two or _TOGETHER.search(f"{told} {_after(reading, times[place])}") is not None


def _in_asked_unit(reading: Reading, time: Quantity, tree: ExpressionTree | None) -> RuleAnswer | None:
    wanted = asked_unit(reading)
    factor = conversion_factor(time.unit_name, wanted) if wanted else Fraction(1)
    return None if factor is None or tree is None else RuleAnswer(scaled(tree, factor))


def _around(reading: Reading, time: Quantity) -> str:
    begin = max(reading.text.rfind(mark, 0, time.start) for mark in (". ", ", ", "; ", " and ", "。", "，"))
    return f"{reading.text[max(begin, 0) : time.start]} {_after(reading, time)}"


def _after(reading: Reading, time: Quantity) -> str:
    return re.split(r"[.,;?，。；？]| and ", reading.text[time.end :])[0]


def _with_drain(
    reading: Reading, times: list[Quantity], rates: list[ExpressionTree]
) -> ExpressionTree | None:
    is_drain = [_DRAINS.search(_around(reading, each)) is not None for each in times]
    if all(is_drain) or not any(is_drain):
        return constant(1) / reduce(add, rates)
    if len(times) != 2 or not re.search(r"\bfill|\bfull\b|注满", reading.question):
        return None
    drain = is_drain.index(True)
    is_filled = times[drain].value > times[1 - drain].value
    return constant(1) / (rates[1 - drain] - rates[drain]) if is_filled else None
