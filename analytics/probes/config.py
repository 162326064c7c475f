"""What can be set about the probes. Torch-free: forms and the command line are built from it."""

from __future__ import annotations

from dataclasses import dataclass

from analytics.configuration import check_config, option


@dataclass(frozen=True, slots=True)
class ProbesConfig:
    """Settings of the concept and difficulty probes; each field carries its help and its bounds."""

    seed: int = option(0, "Seed of the splits.", minimum=0, maximum=2**31 - 1)
    test_share: float = option(
        0.2, "Share of the questions held out to test the probes.", minimum=0.05, maximum=0.5
    )
    validation_share: float = option(
        0.2,
        "Share of the other questions used to choose the regularisation and calibrate the intervals.",
        minimum=0.05,
        maximum=0.5,
    )
    coverage: float = option(
        0.9, "Share of difficulties that the intervals should cover.", minimum=0.5, maximum=0.99
    )
    sharing: float = option(
        0.5,
        "How much a concept shares the weights of the concepts above it (0 = every path is learned separately).",
        minimum=0.0,
        maximum=1.0,
    )
    surface_counts: bool = option(
        True, "Also use the number of words, numbers and formulas to predict the difficulty."
    )
    leading_share: float = option(
        0.9,
        "Leading concepts shared by at least this share of the paths are not counted as levels.",
        minimum=0.5,
        maximum=1.0,
    )
    minimum_questions: int = option(
        20, "Minimum number of tagged questions for learning concepts.", minimum=5, maximum=10_000
    )
    minimum_difficulties: int = option(
        50, "Minimum number of graded questions for learning difficulty.", minimum=20, maximum=10_000
    )
    maximum_questions: int = option(
        30_000,
        "Maximum number of training questions; larger sets are sampled.",
        minimum=100,
        maximum=1_000_000,
    )
    iterations: int = option(
        40, "Maximum number of optimiser steps (L-BFGS) for each fit.", minimum=5, maximum=1_000
    )

    def __post_init__(self) -> None:
        check_config(self)
