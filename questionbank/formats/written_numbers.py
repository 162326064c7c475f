"""Numbers as the files of other systems write them."""

from __future__ import annotations

import re

PLAIN_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
"""A number with a point."""


def finite_number(text: str | None) -> float | None:
    """Return a number with a point or a comma; None for anything else, infinity included.

    >>> finite_number(" 2,5 "), finite_number("inf"), finite_number(None)
    (2.5, None, None)
    """
    try:
        value = float((text or "").strip().replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < 1e300 else None


def exact_share(share: float) -> float:
    """Return a share that was written with a few digits as it was meant.

    >>> exact_share(0.3333333) == 1 / 3, exact_share(0.25)
    (True, 0.25)
    """
    for parts in (3, 6, 7, 9):
        nearest = round(share * parts) / parts
        if abs(nearest - share) < 5e-6:
            return nearest
    return round(share, 9)
