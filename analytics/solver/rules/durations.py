"""How long something lasts: periods, a distance at a speed, minutes per kilogram, lessons with breaks between them."""

from __future__ import annotations

import re
from fractions import Fraction

from analytics.expression.tree import ExpressionTree
from analytics.solver.rules.conversions import conversion_factor, in_unit, scaled
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import Quantity, Reading, constant

_TIMES = ("second", "minute", "hour")
_REPEATED = re.compile(r"\b(?:each|every|twice|times|half as|both|per|a (?:day|week))\b|每|倍", re.IGNORECASE)
_EARLY = re.compile(
    r"\b(?:early|earlier|before|faster|saves?|fewer|less|instead)\b|提前|早|缩短|比", re.IGNORECASE
)
_SPEED_BEFORE = re.compile(r"每(?P<unit>小时|分钟?)(?:[行走跑骑飞开驶]|行驶|的速度)*$")
_BREAK = r"\b(?:break|interval|pause|rest|gap)s?\b"
_WITH_BREAKS = re.compile(  # <n> lessons of <d> each with breaks of <b>
    rf"\beach <(?P<half>\d)> (?:lasts?|is|takes) <(?P<d4>\d)>(?=.*{_BREAK})[^<]*<(?P<b4>\d)>"
    rf"|<(?P<n>\d)>[^<.]{{0,25}}?\b(?:of|last\w*|take) <(?P<d>\d)>(?=[^.]*{_BREAK})[^<]*<(?P<b>\d)>"
    rf"|\blasts? <(?P<d2>\d)>\. <(?P<n2>\d)> (?=.*{_BREAK}).*<(?P<b2>\d)>"
    r"|<(?P<n3>\d)>节课，每节课?<(?P<d3>\d)>，[^<]*休息<(?P<b3>\d)>",
    re.IGNORECASE,
)
_PER_WEIGHT = re.compile(
    r"<(?P<rate>\d)> (?:per|for (?:each|every)|a|every) (?:(?P<unit>kg|kilo|pound)|<(?P<mass>\d)>)",
    re.IGNORECASE,
)
_MASS = {"kg": "kilogram", "kilo": "kilogram", "pound": "pound"}


def lasting(reading: Reading, periods: list[Quantity]) -> ExpressionTree | None:
    """Return how many minutes something lasts by all of the numbers; None if they say it in no way known here."""
    if _EARLY.search(reading.text.replace(reading.asked, "")):
        return None
    if len(periods) == 2 and (tree := _at_speed(reading, *periods)) is not None:
        return tree
    words, numbers = reading.marked, reading.counted()
    times = [each for each in periods if each.unit_name in _TIMES]
    minutes = {id(each): tree for each in times if (tree := in_unit(each, "minute")) is not None}
    if match := _PER_WEIGHT.search(words):
        rate, mass = numbers[int(match["rate"])], match["mass"] and numbers[int(match["mass"])]
        weights = [each for each in periods if each not in times and each is not mass]
        unit = mass.unit_name if mass else _MASS[match["unit"].lower()]
        factor = conversion_factor(weights[0].unit_name, unit) if len(weights) == 1 else None
        if factor is None or rate not in times or len(times) > 2:
            return None
        weight = scaled(weights[0].tree, factor)
        parts = [minutes[id(rate)] * (weight / mass.tree if mass else weight)]
        return sum_of(parts + [minutes[id(each)] for each in times if each is not rate])
    if match := _WITH_BREAKS.search(words):
        found = {
            name.rstrip("234"): numbers[int(place)] for name, place in match.groupdict().items() if place
        }
        is_all = {id(each) for each in found.values()} == {id(each) for each in periods}
        if not is_all or found["d"] not in times or found["b"] not in times:
            return None
        count = constant(2) if "half" in found else found["n"].tree
        return count * minutes[id(found["d"])] + (count - constant(1)) * minutes[id(found["b"])]
    if _REPEATED.search(reading.text) or len(times) != len(periods):
        return None
    return sum_of([minutes[id(each)] for each in times])


def _at_speed(reading: Reading, first: Quantity, second: Quantity) -> ExpressionTree | None:
    """Return the minutes that one of two takes, a distance, at the other, a speed."""
    for distance, speed in ((first, second), (second, first)):
        before = _SPEED_BEFORE.search(reading.text[: speed.start])
        unit = {"小时": " / hour", "分": " / minute", "分钟": " / minute"}[before["unit"]] if before else ""
        length, _per, time = f"{speed.unit_name}{unit}".partition(" / ")
        factor = conversion_factor(distance.unit_name, length) if time in _TIMES and distance.unit else None
        if factor is not None:
            hours = scaled(distance.tree, factor) / speed.tree
            return scaled(hours, conversion_factor(time, "minute") or Fraction(1))
    return None
