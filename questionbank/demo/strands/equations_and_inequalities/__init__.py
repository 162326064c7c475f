"""The question patterns of the strand "Equations and inequalities"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.equations_and_inequalities import (
    inequalities,
    linear_equations,
    quadratic_equations,
    systems_of_equations,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *linear_equations.PATTERNS,
    *systems_of_equations.PATTERNS,
    *inequalities.PATTERNS,
    *quadratic_equations.PATTERNS,
)
