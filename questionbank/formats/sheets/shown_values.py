"""Values of cells as their spreadsheet shows them: 75%, 3/4, 04-Mar, 7 and not 7.0.

A number is never rounded: where a format shows fewer digits than there are, all of them stand.
Formats are those of ECMA-376, part 1, 18.8.31.
"""

from __future__ import annotations

import datetime
import re
from fractions import Fraction
from typing import Any

from questionbank.formats.written_numbers import plain

_NOT_SHOWN = re.compile(r"\[[^\]]*\]|_.|\*.|\\(?=.)")
_QUOTED = re.compile(r'"([^"]*)"')
_DECIMALS = re.compile(r"[0#?][.]([0#?]+)")
_DENOMINATOR = re.compile(r"\?*/(\?+|\d+)")
_DATE_PART = re.compile(r"y+|m+|d+|h+|s+(?:\.0+)?|am/pm|a/p", re.IGNORECASE)
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_UNSTATED_DATE = "mm-dd-yy"  # format 14: every program shows it by the language of its machine


def shown(value: Any, format: str = "General") -> str:
    """Return a value as it is shown.

    >>> shown(7.0), shown(0.1 + 0.2), shown(0.755, "0%"), shown(0.75, "# ?/?"), shown(7, "000")
    ('7', '0.3', '75.5%', '3/4', '007')
    >>> shown(datetime.datetime(2026, 3, 4), "d-mmm"), shown(datetime.datetime(2026, 3, 4), "mm-dd-yy")
    ('4-Mar', '2026-03-04')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number(value, format.partition(";")[0])
    if isinstance(value, datetime.datetime | datetime.date):
        return _date(value, format.partition(";")[0])
    if isinstance(value, datetime.time):
        return value.strftime("%H:%M:%S").removesuffix(":00")
    if isinstance(value, datetime.timedelta):
        seconds = round(value.total_seconds())
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return str(value)


def _number(value: float, format: str) -> str:
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    bare = _NOT_SHOWN.sub("", _QUOTED.sub("", format)).strip()
    if "%" in bare:
        return f"{_padded(float(f'{value * 100:.13g}'), bare)}%"
    if fraction := _DENOMINATOR.search(bare):
        return _fraction(value, fraction[1], is_mixed="#" in bare.split("/")[0]) or plain(value)
    if re.fullmatch("0{2,}", bare) and value == int(value) and value >= 0:
        return str(int(value)).zfill(len(bare))
    return _padded(value, bare)


def _padded(value: float, format: str) -> str:
    """Return a number with the digits that the format asks for, and more where it has more."""
    text = plain(value)
    decimals = _DECIMALS.search(format)
    wanted = decimals[1].count("0") if decimals else 0
    if not wanted or "e" in text:
        return text
    whole, _point, rest = text.partition(".")
    return f"{whole}.{rest.ljust(wanted, '0')}"


def _fraction(value: float, denominator: str, *, is_mixed: bool) -> str:
    most = int(denominator) if denominator.isdigit() else 10 ** len(denominator) - 1
    exact = Fraction(value).limit_denominator(max(most, 1))
    if abs(float(exact) - value) > 1e-9:
        return ""
    if exact.denominator == 1:
        return str(exact.numerator)
    sign = "-" if exact < 0 else ""
    whole, rest = divmod(abs(exact.numerator), exact.denominator)
    if is_mixed and whole:
        return f"{sign}{whole} {rest}/{exact.denominator}"
    return str(exact)


def _date(value: datetime.datetime | datetime.date, format: str) -> str:
    moment = (
        value if isinstance(value, datetime.datetime) else datetime.datetime.combine(value, datetime.time())
    )
    literal = _NOT_SHOWN.sub("", _QUOTED.sub(r"\1", format)).strip()
    if not re.search("[ymdhs]", literal, re.IGNORECASE) or literal == _UNSTATED_DATE:
        return moment.isoformat(sep=" ").removesuffix(" 00:00:00")
    parts = [match[0].lower() for match in _DATE_PART.finditer(literal)]
    has_halves = any("/" in part for part in parts)
    place = -1

    def replaced(match: re.Match[str]) -> str:
        nonlocal place
        place += 1
        part = match[0].lower()
        is_minute = part in ("m", "mm") and (
            (place > 0 and parts[place - 1].startswith("h"))
            or (place + 1 < len(parts) and parts[place + 1].startswith("s"))
        )
        return _date_part(moment, part, is_minute=is_minute, has_halves=has_halves)

    return _DATE_PART.sub(replaced, literal)


def _date_part(moment: datetime.datetime, part: str, *, is_minute: bool, has_halves: bool) -> str:
    if "/" in part:
        return "AM" if moment.hour < 12 else "PM"
    wide = len(part) > 1
    hour = (moment.hour - 1) % 12 + 1 if has_halves else moment.hour
    number = {
        "m": moment.minute if is_minute else moment.month, "d": moment.day, "h": hour, "s": moment.second,
    }.get(part[0])  # fmt: skip
    if part[0] == "y":
        return f"{moment.year:04}" if len(part) > 2 else f"{moment.year % 100:02}"
    if part[0] in "md" and len(part) > 2:
        name = _MONTHS[moment.month - 1] if part[0] == "m" else _DAYS[moment.weekday()]
        return name[:1] if len(part) == 5 else name[:3] if len(part) == 3 else name
    return f"{number:02}" if wide else f"{number}"
