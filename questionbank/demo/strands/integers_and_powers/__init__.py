"""The question patterns of the strand "Integers and powers"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.integers_and_powers import (
    factors_and_multiples,
    negative_numbers,
    powers_and_roots,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *factors_and_multiples.PATTERNS,
    *negative_numbers.PATTERNS,
    *powers_and_roots.PATTERNS,
)
