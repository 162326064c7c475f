"""Times of day, dates and durations: the time between two of them, and when something ends."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from itertools import product

from analytics.expression.evaluate import EvaluationError, evaluate, fill_slots
from analytics.expression.tree import ExpressionTree
from analytics.language.mentions import MINUTES_OF_DAY, ClockTime
from analytics.solver.rules.lists import sum_of
from analytics.solver.rules.reading import Quantity, Reading, RuleAnswer, constant, conversion_factor, in_unit, scaled
from analytics.text.number_slots import number_slots

_TIMES = ("second", "minute", "hour")
_REPEATED_PERIODS = re.compile(r"\b(?:each|every|twice|times|half as|both|per|a (?:day|week))\b|每|倍", re.IGNORECASE)
_EARLY = re.compile(r"\b(?:early|earlier|before|faster|saves?|fewer|less|instead)\b|提前|早|缩短|比", re.IGNORECASE)
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
    r"<(?P<rate>\d)> (?:per|for (?:each|every)|a|every) (?:(?P<unit>kg|kilo|pound)|<(?P<mass>\d)>)", re.IGNORECASE
)
_MASS = {"kg": "kilogram", "kilo": "kilogram", "pound": "pound"}


def lasting(reading: Reading, periods: list[Quantity]) -> ExpressionTree | None:
    """Return the total duration in minutes from all numbers; None if its form is unknown."""
    if _EARLY.search(reading.text.replace(reading.asked, "")):
        return None
    if len(periods) == 2 and (tree := _at_speed(reading, *periods)) is not None:
        return tree
    times = [each for each in periods if each.unit_name in _TIMES]
    minutes = {each: tree for each in times if (tree := in_unit(each, "minute")) is not None}
    if match := _PER_WEIGHT.search(reading.marked):
        return _by_weight(match, reading.counted(), periods, minutes)
    if match := _WITH_BREAKS.search(reading.marked):
        return _with_breaks(match, reading.counted(), periods, minutes)
    if _REPEATED_PERIODS.search(reading.text) or len(times) != len(periods):
        return None
    return sum_of(list(minutes.values()))


def _by_weight(
    match: re.Match[str], numbers: list[Quantity], periods: list[Quantity], minutes: Mapping[Quantity, ExpressionTree]
) -> ExpressionTree | None:
    """Return the minutes for a rate per unit of weight, plus any minutes added to them."""
    rate, mass = numbers[int(match["rate"])], match["mass"] and numbers[int(match["mass"])]
    weights = [each for each in periods if each not in minutes and each is not mass]
    unit = mass.unit_name if mass else _MASS[match["unit"].lower()]
    factor = conversion_factor(weights[0].unit_name, unit) if len(weights) == 1 else None
    if factor is None or rate not in minutes or len(minutes) > 2:
        return None
    weight = scaled(weights[0].tree, factor)
    parts = [minutes[rate] * (weight / mass.tree if mass else weight)]
    return sum_of(parts + [tree for each, tree in minutes.items() if each is not rate])


def _with_breaks(
    match: re.Match[str], numbers: list[Quantity], periods: list[Quantity], minutes: Mapping[Quantity, ExpressionTree]
) -> ExpressionTree | None:
    """Return the minutes of equal periods with a break between each two."""
    found = {name.rstrip("234"): numbers[int(place)] for name, place in match.groupdict().items() if place}
    is_all = set(found.values()) == set(periods)
    if not is_all or found["d"] not in minutes or found["b"] not in minutes:
        return None
    count = constant(2) if "half" in found else found["n"].tree
    return count * minutes[found["d"]] + (count - constant(1)) * minutes[found["b"]]


def _at_speed(reading: Reading, first: Quantity, second: Quantity) -> ExpressionTree | None:
    """Return the minutes needed for a distance at a speed, which may come in either order."""
    for distance, speed in ((first, second), (second, first)):
        before = _SPEED_BEFORE.search(reading.text[: speed.start])
        unit = {"小时": " / hour", "分": " / minute", "分钟": " / minute"}[before["unit"]] if before else ""
        length, _per, time = f"{speed.unit_name}{unit}".partition(" / ")
        factor = conversion_factor(distance.unit_name, length) if time in _TIMES and distance.unit else None
        if factor is not None:
            hours = scaled(distance.tree, factor) / speed.tree
            return scaled(hours, conversion_factor(time, "minute") or Fraction(1))
    return None


_ASKS_MINUTES = re.compile(r"how many minutes|in minutes|多少分钟?|几分钟", re.IGNORECASE)
_ASKS_HOURS = re.compile(r"how many hours|in hours|多少个?小时|几个?小时", re.IGNORECASE)
_ASKS_LONG = re.compile(r"how long|how much time|多长时间|多久", re.IGNORECASE)
_ASKS_WHEN = re.compile(r"\b(?:what time|when|at what)\b|什么时[候间刻]|几[点时]", re.IGNORECASE)
_STARTS = re.compile(
    r"\b(?:start(?:ed)?|beg[ai]n|leave|depart|set off|get up|wake up|go to bed|put|go|be out)\b|开始|出发|起床",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:end(?:s|ed|ing)?|finish\w*|arriv\w*|over|out of|ready|be back|until|reach\w*"
    r"|get (?:there|home)|got|by|wants? to|needs? to|has to|must be|came)\b"
    r"|结束|到达|放学|到|完",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:ago|earlier|before)\b", re.IGNORECASE)
_REPEATED = re.compile(r"\b(?:each|every|twice|times|half as|both|per|a (?:day|week))\b|每|倍", re.IGNORECASE)


def between_clock_times(reading: Reading) -> RuleAnswer | None:
    """Answer how long it is from one time of day to another: "from 6:45 pm to 8:30 pm", in the unit asked for."""
    times = list(reading.language.numbers.find_clock_times(reading.text))
    if len(times) != 2 or reading.plain() or _ASKS_WHEN.search(reading.question) or _REPEATED.search(reading.text):
        return None
    in_hours = _ASKS_HOURS.search(reading.question)
    if not (in_hours or _ASKS_MINUTES.search(reading.question) or _ASKS_LONG.search(reading.question)):
        return None
    first, last = times
    begins, ends = _nearest_following(first, last)
    tree = _minutes_between(reading, first, begins, last, ends)
    if in_hours:
        return RuleAnswer(tree / constant(60))
    if _ASKS_MINUTES.search(reading.question):
        return RuleAnswer(tree)
    written = reading.language.numbers.written_period(*divmod(ends - begins, 60))
    return RuleAnswer(tree, rounding="period", written=written)


def _nearest_following(first: ClockTime, last: ClockTime) -> tuple[int, int]:
    """Return two times in minutes, the second after the first, with the shortest period that the text allows."""
    choices = [
        [time.minutes, time.minutes + 720] if not time.half and time.minutes < 780 else [time.minutes]
        for time in (first, last)
    ]
    begins, ends = min(product(*choices), key=lambda pair: ((pair[1] - pair[0] - 1) % MINUTES_OF_DAY, pair))
    return begins, ends if ends > begins else ends + MINUTES_OF_DAY


def _minutes_between(reading: Reading, first: ClockTime, begins: int, last: ClockTime, ends: int) -> ExpressionTree:
    if begins >= 780 and "24" not in (first.half, last.half):
        begins, ends = begins - 720, ends - 720  # both in the afternoon: the hours as they are written
    first_hour, first_minutes = _parts_of(reading, first, begins)
    last_hour, last_minutes = _parts_of(reading, last, ends)
    tree = (last_hour - first_hour) * constant(60)
    if last_minutes is not None:
        tree = tree + last_minutes
    return tree if first_minutes is None else tree - first_minutes


def _parts_of(reading: Reading, time: ClockTime, minutes: int) -> tuple[ExpressionTree, ExpressionTree | None]:
    """Return the hour and the minutes of a time as trees over the numbers in its text."""
    written = [each for each in reading.quantities if time.start <= each.mention.start < time.end]
    hour, rest = divmod(minutes, 60)
    hours = [each for each in written if each.value % 12 == hour % 12]
    if not hours:
        return constant(Fraction(minutes, 60)), None
    tree, added = hours[0].tree, hour - hours[0].value
    tree = tree + constant(added) if added else tree
    rests = [each for each in written if each is not hours[0] and each.value == rest]
    return tree, (rests[0].tree if rests else constant(rest)) if rest else None


def clock_time_after(reading: Reading) -> RuleAnswer | None:
    """Answer when something ends that begins at a time of day and has a duration, or when it began."""
    times = list(reading.language.numbers.find_clock_times(reading.text))
    periods = [each for each in reading.plain() if not _says_nothing(reading, each)]
    if len(times) != 1 or not periods or not _ASKS_WHEN.search(reading.question):
        return None
    lasts = lasting(reading, periods)
    values = [slot.value for slot in number_slots(reading.text)]
    if lasts is None:
        return None
    time = times[0]
    asked = re.split(r"[,，]", reading.question)[-1]
    story = reading.text.replace(asked, "")
    is_before = _BEFORE.search(asked) is not None
    starts, ends = _STARTS.search(asked), _ENDS.search(asked)
    if not is_before and starts and not (ends and ends.start() < starts.start()):
        if not _ENDS.search(story):
            return None
        is_before = True
    tree, rest = _parts_of(reading, time, time.minutes)
    tree = tree * constant(60) if rest is None else tree * constant(60) + rest
    tree = tree - lasts if is_before else tree + lasts
    try:
        minutes = evaluate(fill_slots(tree, values))
    except EvaluationError:
        return None
    if minutes.denominator != 1:
        return None
    written_clock_time = reading.language.numbers.written_clock_time
    is_half = time.half in ("am", "pm") and not _LONG_CLOCK.search(reading.text)
    written = written_clock_time(int(minutes), with_half=is_half)
    if not time.half and int(minutes) >= 780:
        written = written_clock_time(int(minutes) - 720, with_half=False)
    return RuleAnswer(tree, rounding="clock", written=written)


_LONG_CLOCK = re.compile(r"\b24[- ]hour\b|24小?时[计制]", re.IGNORECASE)


def _says_nothing(reading: Reading, number: Quantity) -> bool:
    """Return whether a number is part of a name: two places (两地), the 24-hour clock."""
    is_clock = _LONG_CLOCK.match(reading.text, number.start) is not None
    return is_clock or (number.mention.text == "两" and number.unit is None)


_MONTHS = {
    name: number
    for number, names in enumerate(
        str.split(
            "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep"
            " october|oct november|nov december|dec"
        ),
        start=1,
    )
    for name in names.split("|")
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    rf"\b(?P<m1>{_MONTH})\.?\s(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\b|\b(?P<d2>\d{{1,2}})(?:st"
    rf"|nd|rd|th)?\s(?:of\s)?(?P<m2>{_MONTH})\b",
    re.IGNORECASE,
)
_ASKS_DAYS = re.compile(r"how many (?:days|nights)|how long", re.IGNORECASE)
_INCLUSIVE = re.compile(r"\b(?:inclusive|including both|counting both|both (?:of these )?days)\b", re.IGNORECASE)
_YEAR = 2023  # without a 29 February


def between_dates(reading: Reading) -> RuleAnswer | None:
    """Answer how many days or nights there are from one date to another in the same year."""
    found = list(_DATE.finditer(reading.text))
    if len(found) != 2 or not _ASKS_DAYS.search(reading.question):
        return None
    numbers = [each for each in reading.quantities if not any(d.start() <= each.mention.start < d.end() for d in found)]
    if any(each in reading.counted() for each in numbers):
        return None
    days = []
    for match in found:
        number = _MONTHS[(match["m1"] or match["m2"]).lower()]
        try:
            days.append(date(_YEAR, number, int(match["d1"] or match["d2"])))
        except ValueError:
            return None
    count = (days[1] - days[0]).days
    if count <= 0 or count > 300:
        return None
    numbers_of_dates = [each for each in reading.quantities if each not in numbers]
    is_one_month = days[0].month == days[1].month and len(numbers_of_dates) == 2
    if is_one_month:
        tree = numbers_of_dates[1].tree - numbers_of_dates[0].tree
    else:
        tree = constant(days[1].timetuple().tm_yday) - constant(days[0].timetuple().tm_yday)
    if _INCLUSIVE.search(reading.text) and "night" not in reading.question:
        tree = tree + constant(1)
    return RuleAnswer(tree)
