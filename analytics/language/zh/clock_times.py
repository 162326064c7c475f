"""Chinese clock times: 下午3时20分, 晚上8点半, ``10:35`` after 从."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analytics.language.mentions import ClockTime, hour_and_minutes
from analytics.language.zh.numbers import chinese_value

_BEFORE = re.compile(
    r"[上下中]午$|[早晚]上$|凌晨$|[从在到至于时间是—~～－-]\s?$"
)  # of "10:35" if that is a time
_AFTER = re.compile(r"\s?(?:开始|出发|结束|放学|上学|上课|下课|到|起|离)")
_RATIO = re.compile("比")
_TIME = re.compile(
    r"(?P<part>上午|下午|早上|早晨|凌晨|中午|晚上|晚|夜里)?\s?"
    r"(?:(?P<h>[01]?\d|2[0-4])[:：](?P<m>[0-5]\d)(?![\d:：])"
    r"|(?P<h2>[01]?\d|2[0-4]|[一二两三四五六七八九十]{1,3})(?:时|点钟?)(?!间|候)"
    r"(?:(?P<half>半)|(?P<m2>[0-5]?\d|[一二三四五六七八九十]{1,3})分?(?![钟\d]))?)"
)


def find_clock_times(text: str) -> Iterator[ClockTime]:
    """Yield the times of day of a text."""
    for match in _TIME.finditer(text):
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


def written_clock_time(minutes: int, *, with_half: bool) -> str:  # noqa: ARG001 - as every language
    """Return a time of day in the 24-hour clock, whatever `with_half` says."""
    hour, minute = hour_and_minutes(minutes)
    return f"{hour}:{minute:02}"


def written_period(hours: int, minutes: int) -> str:
    """Return a period in words, without a part that is 0.

    >>> written_period(1, 45)
    '1小时45分钟'
    """
    return (f"{hours}小时" if hours else "") + (f"{minutes}分钟" if minutes or not hours else "")
