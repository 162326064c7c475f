"""Settings of the probes. Torch-free: forms and the command line are built from it."""

from __future__ import annotations

from pydantic import Field

from analytics.configuration import configuration


@configuration
class ProbesConfig:
    """Settings of the concept and difficulty probes; each field has its help text and bounds."""

    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="Seed of the splits.")
    test_share: float = Field(
        default=0.2, ge=0.05, le=0.5, description="Share of the questions held out to test the model."
    )
    coverage: float = Field(
        default=0.9, ge=0.5, le=0.99, description="Share of difficulties that the intervals should cover."
    )
    maximum_questions: int = Field(
        default=30_000,
        ge=100,
        le=1_000_000,
        description="Maximum number of training questions; larger sets are sampled.",
    )
    iterations: int = Field(
        default=40, ge=5, le=1_000, description="Maximum number of optimiser steps (L-BFGS) for each fit."
    )
