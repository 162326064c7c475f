"""The question patterns of the strand "Algebraic expressions"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.algebraic_expressions import (
    brackets_and_factors,
    building_expressions,
    formulae,
    polynomials,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *building_expressions.PATTERNS,
    *brackets_and_factors.PATTERNS,
    *polynomials.PATTERNS,
    *formulae.PATTERNS,
)
