"""Problems about speed, distance and time, and about working together at different rates."""

# ruff: noqa: E501 - one pattern per line

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import add

from analytics.expression.evaluate import evaluate, fill_slots
from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import unit_dimension
from analytics.solver.rules.reading import (
    Quantity,
    Reading,
    RuleAnswer,
    asked_unit,
    constant,
    conversion_factor,
    in_unit,
    scaled,
    when,
)
from analytics.text.number_slots import number_slots
from analytics.text.units import find_units

# fmt: off
_EACH_TIME = re.compile(r"每个?(?P<time>小时|分钟?|秒)[^，。,；\d]{0,10}$")
_TIMES = {"小时": "hour", "分钟": "minute", "分": "minute", "秒": "second"}
_ON_THE_WAY = frozenset({"second", "minute", "hour"})
_COMMON = ("kilometer / hour", "mile / hour", "meter / second", "meter / minute", "foot / second", "kilometer / minute")
_ASKS_SPEED = re.compile(r"\bspeed\b|\bhow fast\b|\bhow many (?:kilomet\w+|met\w+|miles|km|m) (?:per|an|a) (?:hour|minute|second)\b|速度|每小时|每分钟|每秒", re.IGNORECASE)
_ASKS_TIME = re.compile(r"\bhow (?:long|many (?:hours|minutes|seconds|days))\b|几小时|多少(?:小时|分钟|秒)|几分钟", re.IGNORECASE)
_ASKS_LENGTH = re.compile(r"\bhow far\b|\bhow many (?:kilomet\w+|met\w+|miles|km|m)\b|\bwhat (?:is the )?distance\b|多少(?:千米|米)|多远", re.IGNORECASE)
_TOWARDS = re.compile(r"\b(?:towards?|each (?:town|city|station|end|village) for the other|meet|meets|opposite ends|approach\w*)\b|相对|相向|相遇", re.IGNORECASE)
_AWAY = re.compile(r"\bopposite directions?\b|\bin opposite\b|\baway from each other\b|相背|相反", re.IGNORECASE)
_FOLLOWS = re.compile(r"\b(?:catch\w*|caught|overtak\w+)\b|追上", re.IGNORECASE)
_BACK = re.compile(r"\b(?:back|returns?|returned|returning|round trip|there and back|comes? down|same (?:road|route|way|path|distance))\b|往返|返回", re.IGNORECASE)
_AVERAGE = re.compile(r"\b(?:average|mean)\b|平均", re.IGNORECASE)
_OTHERWISE = re.compile(r"\b(?:stops?|stopped|rests?|rested|breaks?|faster|slower|twice|half as|times as|late|early|delay\w*|bridge|tunnel|platform|pole|current|stream|wind|still water"
    r"|cross\w*|in length|signal|\w+ post|again|square|sides?|circular|a?round (?:a|the)|track|laps?|increas\w+|reduc\w+|next \w+ (?:km|miles|hours)|remaining|percent)\b|%|比|桥|隧道|中点|相遇后|返游|立[刻即]返|[时分]多|池", re.IGNORECASE)
_LATER = re.compile(r"\b(?:later|after the|earlier|before the|head start|ahead)\b|先", re.IGNORECASE)
# fmt: on


class _Journey:
    """The speeds, lengths and times of a text, in the units of its speeds.

    Attributes:
        length, time: the units of the numbers.
        speeds, lengths, times: the numbers; adjacent hours and minutes are combined.
        is_odd: whether seconds occur with kilometres per hour, so that the answer's unit must be stated.
        is_whole: whether there are no other numbers, except a two that counts the travellers.
    """

    def __init__(self, reading: Reading, quantities: list[Quantity]) -> None:
        self.reading = reading
        quantities = [_with_speed(reading, each) for each in quantities]
        speeds, lengths, times = (_of_dimension(quantities, dimension) for dimension in ("speed", "length", "time"))
        others = [each for each in quantities if each not in (*speeds, *lengths, *times)]
        self.length, self.time = self._units(speeds, lengths, times)
        unit = f"{self.length} / {self.time}"
        found = [
            [in_unit(each, unit) for each in speeds],
            [in_unit(each, self.length) for each in lengths],
            self._times(times),
        ]
        self.is_odd = any(each.unit_name == "second" != self.time for each in times)
        self.is_whole = all(each.value == 2 and each.unit is None for each in others) and len(others) <= 1
        self.is_whole &= {self.time, *(each.unit_name for each in times)} <= _ON_THE_WAY  # nobody walks for days
        self.is_whole &= bool(self.length and self.time) and all(None not in each for each in found)
        self.speeds, self.lengths, self.times = ([tree for tree in each if tree is not None] for each in found)

    def _units(self, speeds: list[Quantity], lengths: list[Quantity], times: list[Quantity]) -> tuple[str, str]:
        if speeds:
            length, _slash, time = speeds[0].unit_name.partition(" / ")
            return length, time
        asked = (each.unit for each in find_units(self.reading.question) if each.dimension == "speed")
        told = f"{lengths[0].unit_name} / {times[0].unit_name}" if lengths and times else ""
        length, _slash, time = next(asked, told if told in _COMMON else "").partition(" / ")
        return length, time

    def _times(self, times: list[Quantity]) -> list[ExpressionTree | None]:
        trees = [in_unit(each, self.time) for each in times]
        if len(times) == 2 and _stand_together(self.reading, times[0], times[1]) and None not in trees:
            return [reduce(add, [tree for tree in trees if tree is not None])]
        return trees

    def answer(self, tree: ExpressionTree, unit: str) -> RuleAnswer | None:
        """Return a result in the unit that is asked for."""
        wanted = asked_unit(self.reading)
        if wanted and unit_dimension(unit) == "speed" != unit_dimension(wanted):
            wanted = ""
        if not wanted and self.is_odd:
            return None
        factor: Fraction | None = conversion_factor(unit, wanted) if wanted else Fraction(1)
        return None if factor is None else RuleAnswer(scaled(tree, factor))


def _of_dimension(quantities: list[Quantity], dimension: str) -> list[Quantity]:
    return [each for each in quantities if each.unit is not None and each.unit.dimension == dimension]


def _with_speed(reading: Reading, quantity: Quantity) -> Quantity:
    """Return a length covered in each unit of time as a speed: 每小时行60千米."""
    unit = quantity.unit
    before = _EACH_TIME.search(reading.text[: quantity.start])
    if unit is None or unit.dimension != "length" or before is None:
        return quantity
    time = _TIMES[before["time"]]
    return replace(quantity, unit=replace(unit, unit=f"{unit.unit} / {time}", dimension="speed"))


def _stand_together(reading: Reading, first: Quantity, second: Quantity) -> bool:
    between = reading.text[first.end : second.start]
    return first.unit_name != second.unit_name and between.strip() in ("", "and", "又")


@when(2, 3, unless=_OTHERWISE)
def one_journey(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "A lorry drives at 80 km/h. How many minutes does it need for 60 km?" and the like."""
    journey = _Journey(reading, quantities)
    told = len(journey.speeds), len(journey.lengths), len(journey.times)
    both = _TOWARDS.search(reading.text) or _AWAY.search(reading.text) or _BACK.search(reading.text)
    if not journey.is_whole or both or _FOLLOWS.search(reading.text):
        return None
    if told == (0, 1, 1) and _ASKS_SPEED.search(reading.question):
        return journey.answer(journey.lengths[0] / journey.times[0], f"{journey.length} / {journey.time}")
    if told == (1, 1, 0) and _ASKS_TIME.search(reading.question):
        return journey.answer(journey.lengths[0] / journey.speeds[0], journey.time)
    if told == (1, 0, 1) and _ASKS_LENGTH.search(reading.question):
        return journey.answer(journey.speeds[0] * journey.times[0], journey.length)
    return None


@when(3, 4, unless=_OTHERWISE)
def two_journeys(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for two travellers who approach each other or move apart: a speed, the time or the distance."""
    journey, text = _Journey(reading, quantities), reading.text
    is_such = _TOWARDS.search(text) or _AWAY.search(text)
    if not journey.is_whole or not is_such or _LATER.search(reading.story) or _FOLLOWS.search(text):
        return None
    told = len(journey.speeds), len(journey.lengths), len(journey.times)
    if told == (2, 1, 0) and _ASKS_TIME.search(reading.question):
        return journey.answer(journey.lengths[0] / reduce(add, journey.speeds), journey.time)
    if told == (2, 0, 1) and _ASKS_LENGTH.search(reading.question) and re.search(r"\bapart\b|相距|\bbetween\b", text):
        return journey.answer(reduce(add, journey.speeds) * journey.times[0], journey.length)
    if told == (1, 1, 1) and _ASKS_SPEED.search(reading.question):
        other = journey.lengths[0] / journey.times[0] - journey.speeds[0]
        values = [slot.value for slot in number_slots(text)]
        is_fast = evaluate(fill_slots(other, values)) > 0
        return journey.answer(other, f"{journey.length} / {journey.time}") if is_fast else None
    return None


@when(2, 4, says=_AVERAGE, asks=_ASKS_SPEED, unless=_OTHERWISE)
def average_speed(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer for the average speed of a return journey, or over two stretches whose times are given."""
    journey = _Journey(reading, quantities)
    if not journey.is_whole or len(journey.speeds) != 2:
        return None
    first, second = journey.speeds
    unit = f"{journey.length} / {journey.time}"
    if not journey.times and len(journey.lengths) < 2 and _BACK.search(reading.text):
        return journey.answer(constant(2) * first * second / (first + second), unit)
    told = [_with_speed(reading, each) for each in quantities if each.unit is not None]
    is_paired = all(one.unit and two.unit and one.unit.dimension != two.unit.dimension for one, two in pairwise(told))
    if len(journey.times) == 2 and not journey.lengths and is_paired:
        one, two = journey.times
        return journey.answer((first * one + second * two) / (one + two), unit)
    return None


# fmt: off
_WORK = re.compile(
    r"\b(?:paint\w*|fill\w*|empt(?:y|ies|ied)|clean\w*|finish\w*|complet\w+|build\w*|dig|digs|mow\w*|prints?|printed|sort\w*|plough\w*|plow\w*|weed\w*"
    r"|wash\w*|make|makes|do|does|job|task|order|work\w*|harvest\w*|pick\w*|assembl\w*|deliver\w*|tile\w*|pack\w*|repair\w*|type|types|bake\w*|decorat\w*"
    r"|shovel\w*|rake\w*|load\w*|unload\w*|pump\w*)\b|完成|工程|修|做|注满|合作", re.IGNORECASE)
_TOGETHER = re.compile(r"\b(?:together|both|jointly|all (?:two|three)|side by side|combined|at the same time|helps?)\b|合作|合[修做]|同时|一起|两队", re.IGNORECASE)
_ALONE = re.compile(r"\b(?:alone|by (?:him|her|it)self|on (?:his|her|its) own|the (?:other|second|first|slower|faster)(?: one)?)\b|单独", re.IGNORECASE)
_DRAINS = re.compile(r"\b(?:empt(?:ies|ied|ying)|(?:can|to|will) empty|drains?|drained|leaks?|outlet)\b|放完|排", re.IGNORECASE)
_TWO = re.compile(r"\w (?:and|with) [a-z]+\b(?! then)|[和与]", re.IGNORECASE)
_OTHERWISE_TOGETHER = re.compile(
    r"\b(?:leaves?|left(?! (?:open|on|running))|then|stops?|joins?|joined|later|each day|per|every|faster|twice|half|times|more|less|fewer|rate of|days? a week|walk\w*|km|years? old"
    r"|average|total|remaining|rest|again|laps?|track|meet|before|quits?|quit|indisposed|absent|started \w+ early)\b|%|先|后来|剩|倍|多|少(?!天|小时|分)", re.IGNORECASE)
_ASKS_TIME_TOGETHER = re.compile(r"\bhow (?:long|many (?:hours|minutes|days|weeks|seconds))\b|\bwhen\b|几(?:天|小时|分钟|个小时)|多少(?:天|小时|分钟)", re.IGNORECASE)
# fmt: on


@when(2, 4, says=_WORK, asks=_ASKS_TIME_TOGETHER, unless=_OTHERWISE_TOGETHER)
def time_together(reading: Reading, quantities: list[Quantity]) -> RuleAnswer | None:
    """Answer "Ana paints a wall in 6 hours, Ben in 3. How long together?", or for one of them, given their joint time."""
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
    """Return whether a time is a joint time: "both in 4 hours", "Al and Bo in 4 hours"."""
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


def _with_drain(reading: Reading, times: list[Quantity], rates: list[ExpressionTree]) -> ExpressionTree | None:
    is_drain = [_DRAINS.search(_around(reading, each)) is not None for each in times]
    if all(is_drain) or not any(is_drain):
        return constant(1) / reduce(add, rates)
    if len(times) != 2 or not re.search(r"\bfill|\bfull\b|注满", reading.question):
        return None
    drain = is_drain.index(True)
    is_filled = times[drain].value > times[1 - drain].value
    return constant(1) / (rates[1 - drain] - rates[drain]) if is_filled else None
