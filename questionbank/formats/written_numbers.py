"""Numbers as other systems' files write them."""

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
