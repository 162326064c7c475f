"""The question patterns of the strand "Whole numbers"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.whole_numbers import four_operations, place_value, word_problems

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *place_value.PATTERNS,
    *four_operations.PATTERNS,
    *word_problems.PATTERNS,
)
