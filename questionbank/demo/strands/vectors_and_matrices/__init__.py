"""The question patterns of the strand "Vectors and matrices"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.vectors_and_matrices import matrices, vectors

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *vectors.PATTERNS,
    *matrices.PATTERNS,
)
