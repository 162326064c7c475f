"""The question patterns of the strand "Calculus"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.calculus import (
    antiderivatives,
    applications_of_derivatives,
    curves_and_their_tangents,
    derivatives,
    integrals_and_areas,
    limits,
    rules_of_differentiation,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *limits.PATTERNS,
    *derivatives.PATTERNS,
    *rules_of_differentiation.PATTERNS,
    *curves_and_their_tangents.PATTERNS,
    *applications_of_derivatives.PATTERNS,
    *antiderivatives.PATTERNS,
    *integrals_and_areas.PATTERNS,
)
