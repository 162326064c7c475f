"""What can be set about the probes. Torch-free: forms and the command line are built from it."""

from __future__ import annotations

from dataclasses import dataclass

from analytics.configuration import check_config, option

__all__ = ["ProbesConfig"]


@dataclass(frozen=True, slots=True)
class ProbesConfig:
    """Settings of the concept and difficulty probes; each field carries its help and its bounds."""

    seed: int = option(0, "Seed of the splits.", minimum=0, maximum=2**31 - 1)
    test_share: float = option(
        0.2, "Share of the questions that is held out to measure the probes.", minimum=0.05, maximum=0.5
    )
    validation_share: float = option(
        0.2,
        "Share of the other questions that chooses the regularisation and calibrates the intervals.",
        minimum=0.05,
        maximum=0.5,
    )
    coverage: float = option(
        0.9, "Share of difficulties that the intervals should cover.", minimum=0.5, maximum=0.99
    )
    sharing: float = option(
        0.5,
        "How much a concept's weights lean on those of the concepts above it; 0 learns every path by itself.",
        minimum=0.0,
        maximum=1.0,
    )
    surface_counts: bool = option(
        True, "Let the difficulty also depend on counts of words, numbers and formulas in the text."
    )
    leading_share: float = option(
        0.9,
        "Leading concepts that this share of the paths has in common are not counted as levels.",
        minimum=0.5,
        maximum=1.0,
    )
    minimum_questions: int = option(
        20, "Fewest tagged questions from which concepts are learned.", minimum=5, maximum=10_000
    )
    minimum_difficulties: int = option(
        50, "Fewest graded questions from which difficulty is learned.", minimum=20, maximum=10_000
    )
    maximum_questions: int = option(
        30_000,
        "Maximum number of training questions; larger sets are sampled.",
        minimum=100,
        maximum=1_000_000,
    )
    iterations: int = option(
        40, "Most steps of the optimiser (L-BFGS) for each fit.", minimum=5, maximum=1_000
    )

    def __post_init__(self) -> None:
        check_config(self)
