"""The question patterns of the strand "Functions and graphs"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.functions_and_graphs import (
    curves,
    exponentials_and_logarithms,
    functions,
    straight_lines,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *functions.PATTERNS,
    *straight_lines.PATTERNS,
    *curves.PATTERNS,
    *exponentials_and_logarithms.PATTERNS,
)
