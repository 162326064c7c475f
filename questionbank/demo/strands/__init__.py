"""The question patterns: a package a strand, a module a topic."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands import (
    algebraic_expressions,
    calculus,
    equations_and_inequalities,
    fractions_and_decimals,
    functions_and_graphs,
    geometry,
    integers_and_powers,
    measurement,
    percentages,
    probability,
    ratio_and_proportion,
    sequences_and_series,
    statistics,
    trigonometry,
    vectors_and_matrices,
    whole_numbers,
)

__all__ = ["ALL_PATTERNS"]

ALL_PATTERNS: tuple[Pattern, ...] = (
    *whole_numbers.PATTERNS,
    *integers_and_powers.PATTERNS,
    *fractions_and_decimals.PATTERNS,
    *percentages.PATTERNS,
    *ratio_and_proportion.PATTERNS,
    *algebraic_expressions.PATTERNS,
    *equations_and_inequalities.PATTERNS,
    *functions_and_graphs.PATTERNS,
    *sequences_and_series.PATTERNS,
    *geometry.PATTERNS,
    *measurement.PATTERNS,
    *trigonometry.PATTERNS,
    *vectors_and_matrices.PATTERNS,
    *statistics.PATTERNS,
    *probability.PATTERNS,
    *calculus.PATTERNS,
)
