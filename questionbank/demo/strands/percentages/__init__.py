"""The question patterns of the strand "Percentages"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.percentages import interest, percentage_basics, percentage_change

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *percentage_basics.PATTERNS,
    *percentage_change.PATTERNS,
    *interest.PATTERNS,
)
