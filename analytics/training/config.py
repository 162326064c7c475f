"""What the configurations of trainings in stages share. Torch-free."""

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
    Nodes,
    Patience,
    Processes,
    Seed,
    WarmupShare,
    WeightDecay,
    configuration,
    sharing_problems,
)
from analytics.errors import ConfigurationError


@configuration
class TrainingConfig:
    """How an encoder is trained; a capability's configuration adds the size of its batches and what else it has."""

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
    processes: Processes = 1
    nodes: Nodes = 1
    seed: Seed = 42

    def __post_init__(self) -> None:
        if problems := [*self.sharing_problems(), *self.contradictions()]:
            raise ConfigurationError(problems)

    def sharing_problems(self) -> list[str]:
        """Return why the processes cannot each take an equal share of a batch."""
        return sharing_problems(self)

    def contradictions(self) -> list[str]:
        """Return what is wrong with fields that are right each by itself."""
        return []
