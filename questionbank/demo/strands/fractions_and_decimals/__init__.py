"""The question patterns of the strand "Fractions and decimals"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.fractions_and_decimals import (
    calculating_with_fractions,
    decimals,
    understanding_fractions,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *understanding_fractions.PATTERNS,
    *calculating_with_fractions.PATTERNS,
    *decimals.PATTERNS,
)
