"""Configuration of contrastive pre-training (QuesCo). Torch-free; the defaults are the paper's.

Where the paper gives no value (batch, epochs, tokens), the defaults suit the default backbone.
"""

from __future__ import annotations

import math
from typing import Literal

from pydantic import Field

from analytics.configuration import (
    CheckpointInterval,
    Epochs,
    EvaluationInterval,
    LearningRate,
    MaximumTokens,
    TrainingConfig,
    configuration,
)
from analytics.errors import ConfigurationError


@configuration
class EncoderConfig(TrainingConfig):
    """How an encoder is pre-trained; docs/papers/encoder.md gives the source of each value."""

    objective: Literal["contrast", "masked-language", "last-layer"] = Field(
        default="contrast",
        description=(
            "contrast: bring questions with related concepts closer together (QuesCo); masked-language: predict "
            "masked words (DAPT); last-layer: keep the encoder fixed and fit a linear layer on top (not from "
            "the paper)"
        ),
    )
    ranking: Literal["khar", "finest", "none"] = Field(
        default="khar",
        description=(
            "khar: rank by distance in the hierarchy; finest: only questions with the same finest concept are "
            "positives (SCL); none: only the augmented copy is a positive (ConSERT)"
        ),
    )
    levels: int = Field(
        default=3, ge=1, le=10, title="Hierarchy levels", description="number of hierarchy levels to use"
    )
    temperatures: str = Field(
        default="",
        title="Temperatures by rank",
        description=(
            "temperature of each rank from 0 to levels + 1, separated by commas; leave empty for the paper's rule"
        ),
    )
    one_temperature: bool = Field(
        default=False,
        title="One temperature per term",
        description=(
            "compute each term of the loss at the temperature of its positives, as in the published code; "
            "otherwise each rank uses its own temperature (Eq. 4)"
        ),
    )
    augment_words: bool = Field(default=True, description="swap and delete words in copies of a question")
    augment_formulas: bool = Field(
        default=True, description="rename variables and change operators and numbers in formulas"
    )
    augment_structure: bool = Field(default=True, description="shuffle the clauses of a question and repeat one")
    solution_view: float = Field(
        default=0.0,
        ge=0,
        le=1,
        title="Worked solution as second view",
        description=(
            "probability of using the worked solution, if there is one, as the second view (not from the paper)"
        ),
    )
    concept_weight: float = Field(
        default=0.0,
        ge=0,
        le=100,
        description=("weight of the concept classification loss, added to the contrastive loss (not from the paper)"),
    )
    difficulty_weight: float = Field(
        default=0.0,
        ge=0,
        le=100,
        description="weight of the difficulty ranking loss, added to the contrastive loss (not from the paper)",
    )
    task_weight: float = Field(
        default=0.0,
        ge=0,
        le=100,
        description=(
            "weight of the contrast of tasks, learned from questions that come with the program: the same task in "
            "other stories against other tasks in the same story (not from the paper)"
        ),
    )
    metric_steps: int = Field(
        default=0,
        ge=0,
        le=100_000,
        title="Last-layer steps",
        description=(
            "number of steps for fitting a last linear layer on all questions after the encoder is trained (0 = "
            "no last layer; not from the paper)"
        ),
    )
    projection: int = Field(
        default=128,
        ge=0,
        le=4096,
        title="Projection dimension",
        description="dimension of the projected vectors in the contrastive loss (0 = no projection)",
    )
    queue_size: int = Field(
        default=1600,
        ge=1,
        le=1_000_000,
        description="number of keys in the queue, at most half of the training questions",
    )
    momentum: float = Field(
        default=0.999, ge=0, le=1, description="share of the key encoder's weights that each update keeps"
    )
    learning_rate: LearningRate = Field(
        default=5e-5, description="initial learning rate of the AdamW optimiser, which falls linearly to 0"
    )
    epochs: Epochs = Field(default=5, description="number of passes over the training questions")
    batch_size: int = Field(default=32, ge=2, le=8192, description="number of questions per batch")
    max_tokens: MaximumTokens = Field(default=128, description="questions longer than this are truncated")
    freeze_embeddings: bool = Field(default=True, description="do not train the token embeddings")
    evaluate_every: EvaluationInterval = 200
    checkpoint_every: CheckpointInterval = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.temperatures:
            self.rank_temperatures()

    def contradictions(self) -> list[str]:
        """Return contradictions between fields that are each valid on their own."""
        problems = []
        if self.adapter_rank and self.objective != "contrast":
            problems.append(f"adapter_rank must be 0 for the objective {self.objective}")
        if self.objective == "last-layer" and not self.metric_steps:
            problems.append("metric_steps must be above 0 for the objective last-layer")
        return problems

    def rank_temperatures(self) -> tuple[float, ...]:
        """Return one temperature for each of the ranks 0 .. levels + 1.

        Raises:
            ConfigurationError: the number of values is wrong, or one is not a positive number.
        """
        if not self.temperatures:
            from analytics.concept_paths import default_temperatures

            return default_temperatures(self.levels)
        try:
            values = tuple(float(part) for part in self.temperatures.split(","))
        except ValueError:
            raise ConfigurationError([f"temperatures must be numbers, not {self.temperatures!r}"]) from None
        if len(values) != self.levels + 2 or not all(0 < value < math.inf for value in values):
            raise ConfigurationError(
                [f"temperatures must be {self.levels + 2} positive numbers for {self.levels} levels"]
            )
        return values
