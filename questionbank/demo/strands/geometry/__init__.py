"""The question patterns of the strand "Geometry"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.geometry import (
    angles,
    circles,
    polygons_and_parallel_lines,
    transformations,
    triangles,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *angles.PATTERNS,
    *polygons_and_parallel_lines.PATTERNS,
    *triangles.PATTERNS,
    *circles.PATTERNS,
    *transformations.PATTERNS,
)
