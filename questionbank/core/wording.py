"""Numbers, durations and language names for people, and parsing of numbers in URLs and forms."""

from __future__ import annotations

import math
from collections.abc import Sized
from decimal import Decimal

from analytics.languages import LANGUAGE_NAMES, UNDETERMINED


def language_name(code: str) -> str:
    """Return the name of a language, or its code if it is unknown.

    >>> [language_name(code) for code in ("zh", "de", "de-AT", "qq", "und")]
    ['Chinese', 'German', 'German', 'qq', 'language not recognised']
    """
    if code == UNDETERMINED:
        return "language not recognised"
    if code in LANGUAGE_NAMES:
        return LANGUAGE_NAMES[code]
    from django.utils.translation import get_language_info  # all else here needs no Django

    try:
        return str(get_language_info(code)["name"])
    except KeyError:
        return code


def number_text(value: float) -> str:
    """Format a number with four significant digits, without an exponent.

    >>> [number_text(value) for value in (1e6, 12_000, 0.25, 0.00002, 3.14159, 17.0, 1_234_567.8, float("nan"))]
    ['1,000,000', '12,000', '0.25', '0.00002', '3.142', '17', '1,235,000', '–']
    """
    if not math.isfinite(value):
        return "–"
    if value == int(value):
        return f"{int(value):,}"
    return f"{Decimal(f'{value:.4g}'):,f}"


def percent_text(share: float | None) -> str:
    """Format a share (0 to 1) as a percentage, never rounding up to certainty or down to zero.

    >>> [percent_text(share) for share in (0.0, 0.001, 0.42, 0.999, 1.0, None)]
    ['0%', '<1%', '42%', '>99%', '100%', '']
    """
    if share is None:
        return ""
    if 0 < share < 0.01:
        return "<1%"
    if 0.99 < share < 1:
        return ">99%"
    return f"{100 * share:.0f}%"


def duration_text(seconds: float) -> str:
    """Format a duration with its two most significant units.

    >>> [duration_text(seconds) for seconds in (0.4, 41, 91, 3_600, 9_000, 200_000)]
    ['less than a second', '41 s', '1 min 31 s', '1 h 0 min', '2 h 30 min', '2 days 7 h']
    """
    if seconds < 1:
        return "less than a second"
    whole = round(seconds)
    minutes, hours, days = whole // 60, whole // 3600, whole // 86_400
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{minutes} min {whole % 60} s"
    return f"{hours} h {minutes % 60} min" if not days else f"{days} days {hours % 24} h"


def few(items: Sized) -> bool:
    """Return whether a page can show all of the items expanded."""
    return len(items) <= 3


def readable(name: str) -> str:
    """Return the display name of a figure in a run's result.

    >>> readable("held_out")
    'Held out'
    """
    return name.replace("_", " ").capitalize()


def whole_number(sent: str, *, digits: int = 18) -> int | None:
    """Parse a whole number; None if it is not one or has more than `digits` digits.

    18 digits fit into a database column.

    >>> whole_number("42"), whole_number("-1"), whole_number("\u0664"), whole_number("9" * 19)
    (42, None, None, None)
    """
    return int(sent) if sent.isascii() and sent.isdigit() and len(sent) <= digits else None


def counted(number: int, one: str, several: str) -> str:
    """Return a number followed by its noun in the singular or plural.

    >>> counted(1, "job waits", "jobs wait"), counted(1200, "job waits", "jobs wait")
    ('1 job waits', '1,200 jobs wait')
    """
    return f"{number:,} {one if number == 1 else several}"


def whole_numbers(sent: str) -> list[int]:
    """Parse whole numbers separated by commas; anything else is ignored, as is everything after the first 1,000.

    >>> whole_numbers("3,5,x,")
    [3, 5]
    """
    numbers = map(whole_number, sent.split(",")[:1000])
    return [number for number in numbers if number is not None]
