"""The question patterns of the strand "Trigonometry"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.trigonometry import (
    any_triangle,
    circular_measure,
    identities_and_equations,
    right_angled_triangles,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *right_angled_triangles.PATTERNS,
    *any_triangle.PATTERNS,
    *circular_measure.PATTERNS,
    *identities_and_equations.PATTERNS,
)
