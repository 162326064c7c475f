"""Chinese clock times: 下午3时20分, 晚上8点半, ``10:35`` after 从."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analytics.language.mentions import ClockTime, hour_and_minutes
from analytics.language.zh.numbers import chinese_value

_BEFORE = re.compile(r"[上下中]午$|[早晚]上$|凌晨$|[从在到至于时间是—~～－-]\s?$")  # before "10:35" if it is a time
_AFTER = re.compile(r"\s?(?:开始|出发|结束|放学|上学|上课|下课|到|起|离)")
_RATIO = re.compile("比")
_MORNING = ("上午", "早上", "早晨", "凌晨")
_EVENING = ("下午", "晚上", "晚", "夜里")
_TIME = re.compile(
    r"(?P<part>上午|下午|早上|早晨|凌晨|中午|晚上|晚|夜里)?\s?"
    r"(?:(?P<h>[01]?\d|2[0-4])[:：](?P<m>[0-5]\d)(?![\d:：])"
    r"|(?P<h2>[01]?\d|2[0-4]|[一二两三四五六七八九十]{1,3})(?:时|点钟?)(?!间|候)"
    r"(?:(?P<half>半)|(?P<m2>[0-5]?\d|[一二三四五六七八九十]{1,3})分?(?![钟\d]))?)"
)


def find_clock_times(text: str) -> Iterator[ClockTime]:
    """Yield the times of day of a text."""
    for match in _TIME.finditer(text):
        if not match["part"] and _may_be_no_time(text, match):
            continue
        hour_text, minute_text = match["h"] or match["h2"], match["m"] or match["m2"] or "0"
        hour, minutes = (_small(each) for each in (hour_text, minute_text))
        if hour is None or minutes is None or hour > 24:
            continue
        part = match["part"] or ""
        hour += 12 if part in _EVENING and hour < 12 else 0
        half = _half(part, is_long=hour > 12 or hour_text.startswith("0"))
        minutes = 30 if match["half"] else minutes
        yield ClockTime(match.start(), match.end(), hour * 60 + minutes, half)


def _may_be_no_time(text: str, match: re.Match[str]) -> bool:
    """Return whether a time without a part of the day may be something else: 10:35 a ratio, 3时 alone three hours."""
    if match["h"]:
        before = text[max(match.start() - 3, 0) : match.start()]
        return bool(_RATIO.search(text)) or not (_BEFORE.search(before) or _AFTER.match(text, match.end()))
    return not match["half"] and not match["m2"] and "点" not in match[0]


def _half(part: str, *, is_long: bool) -> str:
    """Return the half of the day that a part of the day belongs to; "24" for an hour of the 24-hour clock."""
    if part in _EVENING or part == "中午":
        return "pm"
    if is_long:
        return "24"
    return "am" if part in _MORNING else ""


def _small(digits: str) -> int | None:
    value = int(digits) if digits.isdigit() else chinese_value(digits)
    return None if value is None else int(value)


def written_clock_time(minutes: int, *, with_half: bool) -> str:  # noqa: ARG001 - as every language
    """Return a time of day in the 24-hour clock, regardless of `with_half`."""
    hour, minute = hour_and_minutes(minutes)
    return f"{hour}:{minute:02}"


def written_period(hours: int, minutes: int) -> str:
    """Return a duration in words, without a part that is 0.

    >>> written_period(1, 45)
    '1小时45分钟'
    """
    return (f"{hours}小时" if hours else "") + (f"{minutes}分钟" if minutes or not hours else "")
