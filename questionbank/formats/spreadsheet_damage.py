"""Answers damaged by spreadsheet programs: 3/4 becomes a date, a long number is shortened.

Nothing is changed; the importing user is told what the value probably was.
"""

from __future__ import annotations

import re

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
_SHORTEST, _LONGEST = 4, 32


def damage_note(value: str) -> str:
    """Return what a value looks like and what it may have been; empty if it does not look damaged.

    >>> damage_note("04-Mar")
    "'04-Mar' looks like a date that a spreadsheet made of a fraction: 3/4 (or 4/3)?"
    >>> damage_note("1.2E+07"), damage_note("March")
    ("'1.2E+07' looks like a number that a spreadsheet has shortened: 12000000?", '')
    """
    value = value.strip()
    if not _SHORTEST <= len(value) <= _LONGEST or value.isdigit() or not any(sign.isdigit() for sign in value):
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
