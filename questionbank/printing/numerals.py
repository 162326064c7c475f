"""Points as a worksheet writes them."""

from __future__ import annotations


def points_text(points: float | None) -> str:
    """Return points without needless noughts; empty for None.

    >>> points_text(2.0), points_text(1.5), points_text(None)
    ('2', '1.5', '')
    """
    return "" if points is None else f"{points:.2f}".rstrip("0").rstrip(".")
