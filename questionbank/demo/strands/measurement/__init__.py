"""The question patterns of the strand "Measurement"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.measurement import perimeter_and_area, solids, units

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *units.PATTERNS,
    *perimeter_and_area.PATTERNS,
    *solids.PATTERNS,
)
