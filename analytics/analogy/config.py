"""Configuration of the retriever of analogous problems. Torch-free.

The defaults are those of Yang et al., "Learning by Analogy", section 3.1, where it says; docs/papers/analogy.md says
what is ours.
"""

from __future__ import annotations

from dataclasses import dataclass

from analytics.configuration import (
    accumulate_option,
    adapter_option,
    backbone_option,
    check_config,
    checkpoint_option,
    device_option,
    evaluation_option,
    fold_option,
    mixed_precision_option,
    option,
    patience_option,
    schedule_option,
    seed_option,
    warmup_option,
    weight_decay_option,
)
from analytics.errors import ConfigurationError

__all__ = ["POOLERS", "SAME", "AnalogyConfig"]

POOLERS = ("two-layer", "linear", "none")
SAME = ("graph", "equation", "both")


@dataclass(frozen=True)
class AnalogyConfig:
    """How a retriever is trained; see docs/papers/analogy.md for where each value comes from."""

    backbone: str = backbone_option()
    pooler: str = option(
        "two-layer",
        "layers behind the pooling; an encoder that has some keeps and trains them",
        choices=POOLERS,
    )
    pooler_width: int = option(
        0, "width of the hidden layer of two; 0: twice the length of a vector (ours)", minimum=0, maximum=8192
    )
    same: str = option(
        "graph",
        "graph: positives compute the same, slots named by first use; equation: the slots stand in the text's order"
        " too; both: the same equation is nearer than the same graph alone, which needs all_positives (ours)",
        choices=SAME,
    )
    slot_text: bool = option(False, "read every number of a text as its slot: n1, n2, ... (ours)")
    all_positives: bool = option(
        False,
        "pull a question to every question of the batch with the same graph, not to its own alone (ours)",
    )
    temperature: float = option(0.05, "tau of the loss", minimum=0.001, maximum=10)
    share: float = option(
        1.0, "share of the training data that is used, drawn at random", minimum=0.001, maximum=1
    )
    fold: int = fold_option()
    adapter_rank: int = adapter_option()
    freeze_embeddings: bool = option(True, "leave the table of token embeddings as it is (ours)")
    learning_rate: float = option(3e-5, "of AdamW", minimum=1e-8, maximum=1)
    weight_decay: float = weight_decay_option()
    schedule: str = schedule_option()
    warmup_share: float = warmup_option(0.0)
    clip_norm: float = option(0.0, "bound on the gradient's norm; 0: none", minimum=0)
    epochs: int = option(5, "passes over the questions that have a positive", minimum=1, maximum=1000)
    max_steps: int = option(0, "stop after so many steps; 0: no bound", minimum=0)
    batch_size: int = option(16, "questions a step, each with a positive", minimum=2, maximum=4096)
    max_tokens: int = option(128, "longer questions are cut", minimum=8, maximum=512)
    mixed_precision: bool = mixed_precision_option()
    accumulate: int = accumulate_option()
    measured: int = option(
        300, "validation questions for measuring retrieval during training; 0: none", minimum=0
    )
    evaluate_every: int = evaluation_option(0)
    patience: int = patience_option()
    checkpoint_every: int = checkpoint_option(0)
    device: str = device_option()
    seed: int = seed_option()

    def __post_init__(self) -> None:
        check_config(self)
        if self.same == "both" and not self.all_positives:
            raise ConfigurationError(["same can be both only with all_positives"])
