"""Clock times in questions: ``6:45 pm``, ``6.45 p.m.``, "half past six", "noon", ``22:40``, 下午3时20分."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from analytics.text.number_words import chinese_value, english_value

MINUTES_OF_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day; ``source_text[start:end]`` is how it is written.

    Attributes:
        minutes: since midnight; where `half` is empty, the time may also be twelve hours later.
        half: ``"am"`` or ``"pm"`` where it is told, ``"24"`` of a 24-hour clock; else empty.
    """

    start: int
    end: int
    minutes: int
    half: str = ""


_HALF = r"(?P<half>[ap])\.?\s?m\b\.?"
_HOURS_IN_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_ENGLISH = re.compile(
    rf"(?<![\d:.,$£€])(?P<h>[01]?\d|2[0-4])\s?[:.]\s?(?P<m>[0-5]\d)(?![\d:%]|\.\d)\s?{_HALF}"
    rf"|(?<![\d:.,$£€])(?P<h2>1[0-2]|0?[1-9])\s?{_HALF.replace('half', 'half2')}"
    r"|(?<![\d:.,$£€])(?P<h3>[01]?\d|2[0-4]):(?P<m3>[0-5]\d)(?![\d:%]|\.\d)(?:\s?(?:hours|hrs|h)\b)?"
    rf"|\b(?P<half_past>half past|quarter past|quarter to)\s(?P<h4>1[0-2]|[1-9]|{_HOURS_IN_WORDS})\b"
    rf"|\b(?P<h5>1[0-2]|[1-9]|{_HOURS_IN_WORDS})\s?o['’]?\s?clock\b"
    r"|\b(?P<noon>noon|midday|midnight)\b",
    re.IGNORECASE,
)
_BEFORE = re.compile(  # what stands before "10:35" where it is a time
    r"\b(?:at|by|from|until|till|to|before|after|between|since|and|is|was|begins?"
    r"|starts?|ends?|leaves?|left|arrives?|departs?"
    r"|time|now|of|the|says|shows|showed|reads)\s$|[上下中]午$|[早晚]上$|凌晨$|[从在到至于时间是—~～－-]\s?$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s?(?:开始|出发|结束|放学|上学|上课|下课|到|起|离)")
_RATIO = re.compile(r"\b(?:ratio|proportion|scale|odds)\b|比", re.IGNORECASE)
_LATER = re.compile(r"\s?(?:in the )?(?P<part>morning|afternoon|evening|at night)\b", re.IGNORECASE)
_CHINESE = re.compile(
    r"(?P<part>上午|下午|早上|早晨|凌晨|中午|晚上|晚|夜里)?\s?"
    r"(?:(?P<h>[01]?\d|2[0-4])[:：](?P<m>[0-5]\d)(?![\d:：])"
    r"|(?P<h2>[01]?\d|2[0-4]|[一二两三四五六七八九十]{1,3})(?:时|点钟?)(?!间|候)"
    r"(?:(?P<half>半)|(?P<m2>[0-5]?\d|[一二三四五六七八九十]{1,3})分?(?![钟\d]))?)"
)


def find_clock_times(text: str) -> list[ClockTime]:
    """Return the clock times of a text in order of appearance.

    >>> [(time.minutes, time.half) for time in find_clock_times("from 6:45 pm to 8:30 pm")]
    [(1125, 'pm'), (1230, 'pm')]
    >>> find_clock_times("in the ratio 3:40")
    []
    """
    if re.search(r"[\u3400-\u9fff]", text):
        return list(_chinese_times(text))
    return list(_english_times(text))


def _english_times(text: str) -> Iterator[ClockTime]:
    for match in _ENGLISH.finditer(text):
        hour_text = match["h"] or match["h2"] or match["h3"] or match["h4"] or match["h5"] or ""
        half = (match["half"] or match["half2"] or "").lower()
        end = match.end()
        if match["noon"]:
            yield ClockTime(match.start(), end, 0 if match["noon"].lower() == "midnight" else 720, "24")
            continue
        before = text[max(match.start() - 12, 0) : match.start()]
        if match["h3"] and not half and (_RATIO.search(text) or not _BEFORE.search(before)):
            continue
        hour = int(hour_text) if hour_text.isdigit() else int(english_value(hour_text) or 0)
        minutes = int(match["m"] or match["m3"] or 0)
        if match["half_past"]:
            name = match["half_past"].lower()
            minutes = 30 if name.startswith("half") else 15 if name.endswith("past") else -15
        if later := _LATER.match(text, end):
            half, end = ("a" if later["part"].lower() == "morning" else "p"), later.end()
        if half and hour <= 12:
            yield ClockTime(match.start(), end, (hour % 12 + 12 * (half == "p")) * 60 + minutes, half + "m")
        else:
            is_long = hour > 12 or hour == 0 or hour_text.startswith("0")
            yield ClockTime(match.start(), end, hour * 60 + minutes, "24" if is_long else "")


def _chinese_times(text: str) -> Iterator[ClockTime]:
    for match in _CHINESE.finditer(text):
        if match["h"] and not match["part"]:
            before = text[max(match.start() - 3, 0) : match.start()]
            if _RATIO.search(text) or not (_BEFORE.search(before) or _AFTER.match(text, match.end())):
                continue
        hour_text, minute_text = match["h"] or match["h2"], match["m"] or match["m2"] or "0"
        if (
            match["h2"]
            and not match["part"]
            and not match["half"]
            and not match["m2"]
            and "点" not in match[0]
        ):
            continue  # 3时 alone is often three hours
        hour, minutes = (_small(each) for each in (hour_text, minute_text))
        if hour is None or minutes is None or hour > 24:
            continue
        minutes = 30 if match["half"] else minutes
        part = match["part"] or ""
        if part in ("下午", "晚上", "晚", "夜里") and hour < 12:
            hour += 12
        half = (
            "24"
            if hour > 12 or hour_text.startswith("0")
            else "am"
            if part in ("上午", "早上", "早晨", "凌晨")
            else ""
        )
        half = "pm" if part in ("下午", "晚上", "中午", "晚", "夜里") else half
        yield ClockTime(match.start(), match.end(), hour * 60 + minutes, half)


def _small(digits: str) -> int | None:
    value = int(digits) if digits.isdigit() else chinese_value(digits)
    return None if value is None else int(value)


def written_clock_time(minutes: int, *, with_half: bool) -> str:
    """Return a time of day as it is written: ``2:15 pm``, or ``14:15`` by the 24-hour clock.

    >>> written_clock_time(855, with_half=True), written_clock_time(855, with_half=False)
    ('2:15 pm', '14:15')
    """
    hour, minute = divmod(minutes % MINUTES_OF_DAY, 60)
    if not with_half:
        return f"{hour}:{minute:02}"
    return f"{(hour + 11) % 12 + 1}:{minute:02} {'pm' if hour >= 12 else 'am'}"
