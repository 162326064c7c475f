"""The named scales of published difficulties, and how each maps to 0-100 %.

A question stores its published value and the name of its scale; per cent is only used for filters and pages.
Values on different scales are never mixed without mapping.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scale:
    """Bounds of a scale; `inverted` if a high value means an easy question."""

    low: float
    high: float
    inverted: bool = False


SCALES: dict[str, Scale] = {
    "0-4": Scale(0, 4),
    "1-5": Scale(1, 5),
    "1-9.5": Scale(1, 9.5),
    "1-3": Scale(1, 3),
    "1-10": Scale(1, 10),
    "0-1": Scale(0, 1),
    "0-100": Scale(0, 100),
    "facility": Scale(0, 1, inverted=True),
}

AS_PUBLISHED = "as published"
"""Name for a difficulty without a stated scale: stored and shown, but never mapped to per cent."""

_SCALE_BY_SET = {"tal_scq_zh": "0-4", "tal_scq_en": "0-4", "math": "1-5", "opl": "1-5", "omni_math_rule": "1-9.5"}

_SCALE_BY_ID = {
    r"tal-(zh|en)-(train|test)-\d+": "0-4",
    r"math-(train|test)-\d+": "1-5",
    r"opl-[0-9a-f]{12}": "1-5",
    r"omni-\d+": "1-9.5",
}


def scale_names() -> tuple[str, ...]:
    """Return all valid values of a question's `difficulty_scale`."""
    return (*SCALES, AS_PUBLISHED)


def scale_of_set(name: str) -> str:
    """Return the scale of a public data set, or an empty string.

    >>> scale_of_set("tal_scq_en"), scale_of_set("my questions")
    ('0-4', '')
    """
    return _SCALE_BY_SET.get(name, "")


def scale_of_id(identifier: str) -> str:
    """Return the scale of a question from a public data set by its identifier, or an empty string.

    An uploaded file has lost its folder's name, but its identifiers still reveal the data set.

    >>> scale_of_id("omni-17"), scale_of_id("q-17")
    ('1-9.5', '')
    """
    return next((scale for form, scale in _SCALE_BY_ID.items() if re.fullmatch(form, identifier)), "")


def scale_percent(value: float | None, scale: str) -> float | None:
    """Map a difficulty to 0 (easiest) .. 100 (hardest) per cent; None if it or its scale is unknown.

    Estimates may lie slightly outside the scale and are clipped.

    >>> scale_percent(2, "0-4"), scale_percent(0.25, "facility"), scale_percent(3, "as published")
    (50.0, 75.0, None)
    """
    bounds = SCALES.get(scale)
    if value is None or bounds is None:
        return None
    share = (value - bounds.low) / (bounds.high - bounds.low)
    share = min(1.0, max(0.0, share))
    return 100.0 * (1.0 - share if bounds.inverted else share)


def scale_value(percent: float | None, scale: str) -> float | None:
    """Map per cent back to a value on the scale; the inverse of `scale_percent`.

    >>> scale_value(50, "1-5"), scale_value(75, "facility")
    (3.0, 0.25)
    """
    bounds = SCALES.get(scale)
    if percent is None or bounds is None:
        return None
    share = percent / 100.0
    share = 1.0 - share if bounds.inverted else share
    return bounds.low + share * (bounds.high - bounds.low)
