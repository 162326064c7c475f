"""The question patterns of the strand "Sequences and series"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.sequences_and_series import (
    arithmetic_sequences,
    geometric_sequences,
    rules_and_notation,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *arithmetic_sequences.PATTERNS,
    *geometric_sequences.PATTERNS,
    *rules_and_notation.PATTERNS,
)
