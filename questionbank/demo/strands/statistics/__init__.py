"""The question patterns of the strand "Statistics"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.statistics import averages, displays_and_distributions, spread

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *averages.PATTERNS,
    *spread.PATTERNS,
    *displays_and_distributions.PATTERNS,
)
