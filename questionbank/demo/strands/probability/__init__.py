"""The question patterns of the strand "Probability"."""

from __future__ import annotations

from questionbank.demo.pattern import Pattern
from questionbank.demo.strands.probability import (
    combined_events,
    conditional_probability,
    counting,
    random_variables,
    single_events,
)

__all__ = ["PATTERNS"]

PATTERNS: tuple[Pattern, ...] = (
    *single_events.PATTERNS,
    *combined_events.PATTERNS,
    *counting.PATTERNS,
    *conditional_probability.PATTERNS,
    *random_variables.PATTERNS,
)
