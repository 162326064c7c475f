"""The question patterns of the strand "Ratio and proportion"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.ratio_and_proportion import proportion, rates, ratio, speed

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *ratio.PATTERNS,
    *proportion.PATTERNS,
    *speed.PATTERNS,
    *rates.PATTERNS,
)
