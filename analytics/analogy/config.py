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
    clipping_option,
    device_option,
    evaluation_option,
    fold_option,
    measured_option,
    mixed_precision_option,
    option,
    patience_option,
    schedule_option,
    seed_option,
    steps_option,
    tokens_option,
    warmup_option,
    weight_decay_option,
)
from analytics.errors import ConfigurationError

POOLERS = ("two-layer", "linear", "none")
SAME = ("graph", "equation", "both")


@dataclass(frozen=True)
class AnalogyConfig:
    """How a retriever is trained; see docs/papers/analogy.md for where each value comes from."""

    backbone: str = backbone_option()
    pooler: str = option(
        "two-layer",
        "layers after the pooling; an encoder that already has some keeps and trains them",
        choices=POOLERS,
    )
    pooler_width: int = option(
        0,
        "width of the hidden layer of a two-layer pooler (0 = twice the vector length; not from the paper)",
        minimum=0,
        maximum=8192,
    )
    same: str = option(
        "graph",
        "graph: positives share a computation, with numbers named in order of use; equation: the numbers must also"
        " appear in the same order in the text; both: problems with the same equation end up closer than those with"
        " only the same graph (requires all_positives; not from the paper)",
        choices=SAME,
        label="Positives",
    )
    slot_text: bool = option(
        False,
        "replace each number in a text with a placeholder: n1, n2, ... (not from the paper)",
        label="Replace numbers with placeholders",
    )
    all_positives: bool = option(
        False,
        "use every question in the batch with the same graph as a positive, not only the paired one (not from the"
        " paper)",
    )
    temperature: float = option(0.05, "temperature of the contrastive loss (tau)", minimum=0.001, maximum=10)
    share: float = option(
        1.0,
        "share of the training data to use, drawn at random",
        minimum=0.001,
        maximum=1,
        label="Share of the training data",
    )
    fold: int = fold_option()
    adapter_rank: int = adapter_option()
    freeze_embeddings: bool = option(True, "do not train the token embeddings (not from the paper)")
    learning_rate: float = option(3e-5, "learning rate of the AdamW optimiser", minimum=1e-8, maximum=1)
    weight_decay: float = weight_decay_option()
    schedule: str = schedule_option()
    warmup_share: float = warmup_option(0.0)
    clip_norm: float = clipping_option(0.0)
    epochs: int = option(
        5, "number of passes over the questions that have a positive", minimum=1, maximum=1000
    )
    max_steps: int = steps_option()
    batch_size: int = option(
        16, "number of questions per batch, each with a positive", minimum=2, maximum=4096
    )
    max_tokens: int = tokens_option(128, "questions longer than this are truncated")
    mixed_precision: bool = mixed_precision_option()
    accumulate: int = accumulate_option()
    measured: int = measured_option("retrieval")
    evaluate_every: int = evaluation_option(0)
    patience: int = patience_option()
    checkpoint_every: int = checkpoint_option(0)
    device: str = device_option()
    seed: int = seed_option()

    def __post_init__(self) -> None:
        check_config(self)
        if self.same == "both" and not self.all_positives:
            raise ConfigurationError(["same can be both only with all_positives"])
