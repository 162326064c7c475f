"""English clock times: ``6:45 pm``, "half past six", "noon"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from analytics.language.en.numbers import english_value
from analytics.language.mentions import ClockTime, hour_and_minutes

_HALF = r"(?P<half>[ap])\.?\s?m\b\.?"
_HOURS_IN_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_TIME = re.compile(
    r"(?=\d|\b[efhmnoqst])(?:"  # no form of a time has to be tried elsewhere
    rf"(?<![\d:.,$£€])(?P<h>[01]?\d|2[0-4])\s?[:.]\s?(?P<m>[0-5]\d)(?![\d:%]|\.\d)\s?{_HALF}"
    rf"|(?<![\d:.,$£€])(?P<h2>1[0-2]|0?[1-9])\s?{_HALF.replace('half', 'half2')}"
    r"|(?<![\d:.,$£€])(?P<h3>[01]?\d|2[0-4]):(?P<m3>[0-5]\d)(?![\d:%]|\.\d)(?:\s?(?:hours|hrs|h)\b)?"
    rf"|\b(?P<half_past>half past|quarter past|quarter to)\s(?P<h4>1[0-2]|[1-9]|{_HOURS_IN_WORDS})\b"
    rf"|\b(?P<h5>1[0-2]|[1-9]|{_HOURS_IN_WORDS})\s?o['’]?\s?clock\b"
    r"|\b(?P<noon>noon|midday|midnight)\b)",
    re.IGNORECASE,
)
_BEFORE = re.compile(  # what precedes "10:35" if it is a time
    r"\b(?:at|by|from|until|till|to|before|after|between|since|and|is|was|begins?|starts?|ends?|leaves?|left|arrives?"
    r"|departs?|time|now|of|the|says|shows|showed|reads)\s$|[—~～－-]\s?$",
    re.IGNORECASE,
)
_RATIO = re.compile(r"\b(?:ratio|proportion|scale|odds)\b", re.IGNORECASE)
_LATER = re.compile(r"\s?(?:in the )?(?P<part>morning|afternoon|evening|at night)\b", re.IGNORECASE)


def find_clock_times(text: str) -> Iterator[ClockTime]:
    """Yield the times of day of a text."""
    for match in _TIME.finditer(text):
        if match["noon"]:
            minutes = 0 if match["noon"].lower() == "midnight" else 720
            yield ClockTime(match.start(), match.end(), minutes, "24")
        elif not (match["h3"] and _may_be_ratio(text, match.start())):
            yield _clock_time(text, match)


def _may_be_ratio(text: str, start: int) -> bool:
    """Return whether "10:35" may not be a time: the text has a ratio, or nothing before it suggests a time."""
    return bool(_RATIO.search(text)) or not _BEFORE.search(text[max(start - 12, 0) : start])


def _clock_time(text: str, match: re.Match[str]) -> ClockTime:
    """Return a time that is written with an hour."""
    written = next(filter(None, match.group("h", "h2", "h3", "h4", "h5")))
    hour = int(written) if written.isdigit() else int(english_value(written) or 0)
    half, end = (match["half"] or match["half2"] or "").lower(), match.end()
    if later := _LATER.match(text, end):
        half, end = ("a" if later["part"].lower() == "morning" else "p"), later.end()
    if half and hour <= 12:
        hour, clock = hour % 12 + 12 * (half == "p"), half + "m"
    else:
        clock = "24" if hour > 12 or hour == 0 or written.startswith("0") else ""
    return ClockTime(match.start(), end, hour * 60 + _minutes_past(match), clock)


def _minutes_past(match: re.Match[str]) -> int:
    """Return the minutes past the hour; negative for minutes to the hour."""
    if match["half_past"]:
        name = match["half_past"].lower()
        return 30 if name.startswith("half") else 15 if name.endswith("past") else -15
    return int(match["m"] or match["m3"] or 0)


def written_clock_time(minutes: int, *, with_half: bool) -> str:
    """Return a time of day in the 12-hour clock (`with_half`) or the 24-hour clock.

    >>> written_clock_time(855, with_half=True), written_clock_time(855, with_half=False)
    ('2:15 pm', '14:15')
    """
    hour, minute = hour_and_minutes(minutes)
    if not with_half:
        return f"{hour}:{minute:02}"
    return f"{(hour + 11) % 12 + 1}:{minute:02} {'pm' if hour >= 12 else 'am'}"


def written_period(hours: int, minutes: int) -> str:
    """Return a duration in words, without a part that is 0.

    >>> written_period(1, 45)
    '1 hour 45 minutes'
    """
    parts = ((hours, "hour"), (minutes, "minute"))
    return " ".join(f"{count} {name}{'' if count == 1 else 's'}" for count, name in parts if count)
