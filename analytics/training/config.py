"""Base class for the configurations of training runs in stages. Torch-free."""

from __future__ import annotations

from analytics.configuration import (
    Accumulation,
    AdapterRank,
    Backbone,
    CheckpointInterval,
    Device,
    EvaluationInterval,
    MaximumSteps,
    MixedPrecision,
    Patience,
    Seed,
    WarmupShare,
    WeightDecay,
    configuration,
)
from analytics.errors import ConfigurationError


@configuration
class TrainingConfig:
    """How an encoder is trained; each capability's configuration adds its batch size and other fields."""

    backbone: Backbone = "all-MiniLM-L6-v2"
    adapter_rank: AdapterRank = 0
    weight_decay: WeightDecay = 0.01
    warmup_share: WarmupShare = 0.0
    max_steps: MaximumSteps = 0
    mixed_precision: MixedPrecision = True
    accumulate: Accumulation = 1
    evaluate_every: EvaluationInterval = 0
    patience: Patience = 0
    checkpoint_every: CheckpointInterval = 0
    device: Device = "auto"
    seed: Seed = 42

    def __post_init__(self) -> None:
        if problems := self.contradictions():
            raise ConfigurationError(problems)

    def contradictions(self) -> list[str]:
        """Return contradictions between fields that are each valid on their own."""
        return []
