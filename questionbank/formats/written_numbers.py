"""Numbers as other systems' files write them, and answers that a spreadsheet program has damaged.

There, 3/4 becomes a date and a long number is shortened. Nothing is changed; the person who imports the file is told
what the value probably was.
"""

from __future__ import annotations

import re
from decimal import Decimal

PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
"""A number with a decimal point."""


_LONGEST = 21  # characters including the sign, beyond which an exponent is clearer


def decimal_text(value: float) -> str:
    """Return a number with all its digits, without an exponent unless that would be too long.

    >>> decimal_text(2.5e-05), decimal_text(2.0), decimal_text(1e16), decimal_text(7e22)
    ('0.000025', '2.0', '10000000000000000', '7e+22')
    """
    text = repr(value)
    written_out = format(Decimal(text), "f") if "e" in text else text
    return written_out if len(written_out) <= _LONGEST else text


def plain(value: float) -> str:
    """Return a number with up to 15 digits, the precision of spreadsheets, and without a trailing ``.0``.

    >>> plain(3.0), plain(1e21), plain(0.1 + 0.2), plain(2.5e-05)
    ('3', '1e+21', '0.3', '0.000025')
    """
    return decimal_text(value if isinstance(value, int) else float(f"{value:.15g}")).removesuffix(".0")


def finite_number(text: str | None) -> float | None:
    """Return a number with a decimal point or comma; None for anything else, infinity included.

    >>> finite_number(" 2,5 "), finite_number("inf"), finite_number(None)
    (2.5, None, None)
    """
    try:
        value = float((text or "").strip().replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < 1e300 else None


def exact_share(share: float) -> float:
    """Return the exact share that a rounded share was meant to be.

    >>> exact_share(0.3333333) == 1 / 3, exact_share(0.25)
    (True, 0.25)
    """
    for parts in (3, 6, 7, 9):
        nearest = round(share * parts) / parts
        if abs(nearest - share) < 5e-6:
            return nearest
    return round(share, 9)


_MONTH_NAMES = (
    "jan january januar jän jänner janvier janv ene enero", "feb february februar févr fév fevrier février febrero",
    "mar march mär märz mrz mars marzo", "apr april avr avril abr abril", "may mai mayo", "jun june juni juin junio",
    "jul july juli juil juillet julio", "aug august août aoû aout ago agosto",
    "sep sept september septembre septiembre", "oct okt october oktober octobre octubre",
    "nov november novembre noviembre", "dec dez december dezember déc décembre decembre dic diciembre",
)  # fmt: skip
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, start=1) for name in names.split()}
_DAY_MONTH = re.compile(r"(\d{1,2})\.?[-\s./]{1,2}([^\W\d_]{3,10})\.?(?:[-\s./]{1,2}\d{2,4})?")
_MONTH_NUMBER = re.compile(r"([^\W\d_]{3,10})\.?[-\s./]{1,2}(\d{1,2})")
_YEAR_FIRST = re.compile(r"\d{4}[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]00:00(?::00(?:\.0+)?)?Z?)?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})[-/.](?:19|20)\d{2}(?: 0{1,2}:00(?::00)?)?")
_CHINESE = re.compile(r"(?:\d{4}年)?(\d{1,2})月(\d{1,2})日")
_SHORTENED = re.compile(r"[+-]?\d(?:([.,])\d+)?E[+-]\d{2,3}")
_SHORTEST_DATE, _LONGEST_DATE = 4, 32


def damage_note(value: str) -> str:
    """Return what a value looks like and what it may have been; empty if it does not look damaged.

    >>> damage_note("04-Mar")
    "'04-Mar' looks like a date that a spreadsheet made of a fraction: 3/4 (or 4/3)?"
    >>> damage_note("1.2E+07"), damage_note("March")
    ("'1.2E+07' looks like a number that a spreadsheet has shortened: 12000000?", '')
    """
    value = value.strip()
    if (
        not _SHORTEST_DATE <= len(value) <= _LONGEST_DATE
        or value.isdigit()
        or not any(sign.isdigit() for sign in value)
    ):
        return ""
    if _SHORTENED.fullmatch(value):
        number = float(value.replace(",", "."))
        plain = f"{number:.0f}" if abs(number) >= 1 else f"{number:.12f}".rstrip("0")
        return f"{value!r} looks like a number that a spreadsheet has shortened: {plain}?"
    parts = _date_parts(value)
    if parts is None:
        return ""
    small, large = sorted(parts)
    guesses = f"{small}/{large} (or {large}/{small})" if small != large else f"{small}/{large}"
    if re.match(r"\d+\. ", value):  # German programs also turn 3.4 into a date
        guesses = f"{small}/{large}, {large}/{small} or {parts[0]}.{parts[1]}"
    return f"{value!r} looks like a date that a spreadsheet made of a fraction: {guesses}?"


def _date_parts(value: str) -> tuple[int, int] | None:
    """Return the two numbers of a date without its year, or None."""
    if match := _DAY_MONTH.fullmatch(value):
        month = _MONTHS.get(match[2].lower())
        return _plausible(int(match[1]), month)
    if match := _MONTH_NUMBER.fullmatch(value):
        month = _MONTHS.get(match[1].lower())
        return (int(match[2]), month) if month and int(match[2]) else None
    if match := _YEAR_FIRST.fullmatch(value) or _CHINESE.fullmatch(value):
        return _plausible(int(match[2]), int(match[1]))
    if match := _YEAR_LAST.fullmatch(value):
        return _plausible(int(match[1]), int(match[3])) or _plausible(int(match[3]), int(match[1]))
    return None


def _plausible(day: int, month: int | None) -> tuple[int, int] | None:
    return (day, month) if month and 1 <= day <= 31 and 1 <= month <= 12 else None
