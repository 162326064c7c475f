"""Configuration of contrastive pre-training (QuesCo). Torch-free; the defaults are the paper's.

Where the paper is silent (batch, epochs, tokens) the defaults suit the default backbone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from analytics.configuration import (
    accumulate_option,
    adapter_option,
    backbone_option,
    check_config,
    checkpoint_option,
    device_option,
    evaluation_option,
    mixed_precision_option,
    option,
    patience_option,
    seed_option,
    steps_option,
    tokens_option,
    warmup_option,
    weight_decay_option,
)
from analytics.errors import ConfigurationError

OBJECTIVES = ("contrast", "masked-language", "last-layer")
RANKINGS = ("khar", "finest", "none")


@dataclass(frozen=True)
class EncoderConfig:
    """How an encoder is pre-trained; see docs/papers/encoder.md for where each value comes from."""

    backbone: str = backbone_option()
    objective: str = option(
        "contrast",
        "contrast: bring questions with related concepts closer together (QuesCo); masked-language: predict masked"
        " words (DAPT); last-layer: keep the encoder fixed and fit a linear layer on top (not from the paper)",
        choices=OBJECTIVES,
    )
    ranking: str = option(
        "khar",
        "khar: rank by distance in the hierarchy; finest: only questions with the same finest concept are positives"
        " (SCL); none: only the augmented copy is a positive (ConSERT)",
        choices=RANKINGS,
    )
    levels: int = option(
        3, "number of hierarchy levels to use", minimum=1, maximum=10, label="Hierarchy levels"
    )
    root_mapping: str = option(
        "",
        "matching roots of different hierarchies, as 'Hierarchy > Root = Other hierarchy > Root; ...'; without it,"
        " questions from different hierarchies are not compared",
    )
    temperatures: str = option(
        "",
        "temperature of each rank from 0 to levels + 1, separated by commas; leave empty for the paper's rule",
        label="Temperatures by rank",
    )
    one_temperature: bool = option(
        False,
        "compute each term of the loss at the temperature of its positives, as in the published code; otherwise each"
        " rank uses its own temperature (Eq. 4)",
        label="One temperature per term",
    )
    augment_words: bool = option(True, "swap and delete words in copies of a question")
    augment_formulas: bool = option(True, "rename variables and change operators and numbers in formulas")
    augment_structure: bool = option(True, "shuffle the clauses of a question and repeat one")
    augmentation_probability: float = option(
        0.3, "probability of each augmentation strategy", minimum=0, maximum=1
    )
    solution_view: float = option(
        0.0,
        "probability of using the worked solution, if there is one, as the second view (not from the paper)",
        minimum=0,
        maximum=1,
        label="Worked solution as second view",
    )
    concept_weight: float = option(
        0.0,
        "weight of the concept classification loss, added to the contrastive loss (not from the paper)",
        minimum=0,
        maximum=100,
    )
    difficulty_weight: float = option(
        0.0,
        "weight of the difficulty ranking loss, added to the contrastive loss (not from the paper)",
        minimum=0,
        maximum=100,
    )
    metric_steps: int = option(
        0,
        "number of steps for fitting a last linear layer on all questions after the encoder is trained (0 = no last"
        " layer; not from the paper)",
        minimum=0,
        maximum=100_000,
        label="Last-layer steps",
    )
    adapter_rank: int = adapter_option()
    projection: int = option(
        128,
        "dimension of the projected vectors in the contrastive loss (0 = no projection)",
        minimum=0,
        maximum=4096,
        label="Projection dimension",
    )
    queue_size: int = option(
        1600,
        "number of keys in the queue, at most half of the training questions",
        minimum=1,
        maximum=1_000_000,
    )
    momentum: float = option(
        0.999, "share of the key encoder's weights that each update keeps", minimum=0, maximum=1
    )
    learning_rate: float = option(
        5e-5,
        "initial learning rate of the AdamW optimiser, which falls linearly to 0",
        minimum=1e-8,
        maximum=1,
    )
    weight_decay: float = weight_decay_option()
    warmup_share: float = warmup_option(0.0)
    epochs: int = option(5, "number of passes over the training questions", minimum=1, maximum=1000)
    max_steps: int = steps_option()
    batch_size: int = option(32, "number of questions per batch", minimum=2, maximum=8192)
    max_tokens: int = tokens_option(128, "questions longer than this are truncated")
    freeze_embeddings: bool = option(True, "do not train the token embeddings")
    mixed_precision: bool = mixed_precision_option()
    accumulate: int = accumulate_option()
    evaluate_every: int = evaluation_option(200)
    patience: int = patience_option()
    checkpoint_every: int = checkpoint_option(100)
    device: str = device_option()
    seed: int = seed_option()

    def __post_init__(self) -> None:
        check_config(self)
        if self.adapter_rank and self.objective != "contrast":
            raise ConfigurationError([f"adapter_rank must be 0 for the objective {self.objective}"])
        if self.objective == "last-layer" and not self.metric_steps:
            raise ConfigurationError(["metric_steps must be above 0 for the objective last-layer"])
        if self.temperatures:
            self.rank_temperatures()
        if self.root_mapping:
            from analytics.encoder.examples import parse_root_mapping

            parse_root_mapping(self.root_mapping)

    def rank_temperatures(self) -> tuple[float, ...]:
        """Return one temperature for each of the ranks 0 .. levels + 1.

        Raises:
            ConfigurationError: wrong number of values, or one that is no positive number.
        """
        if not self.temperatures:
            from analytics.encoder.khar import default_temperatures

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
