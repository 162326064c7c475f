"""Configuration of the word-problem solver. Torch-free.

The defaults are those of Pattern-CL (Li et al., 2022) where it says; where encoders smaller than BERT-base need others,
the option's text says so.
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
    option,
    patience_option,
    schedule_option,
    seed_option,
    warmup_option,
    weight_decay_option,
)
from analytics.errors import ConfigurationError

__all__ = [
    "CONTRASTS",
    "EQUATION_STRATEGIES",
    "NEGATIVES",
    "POOLS",
    "POSITIVES",
    "TEXT_STRATEGIES",
    "SolverConfig",
]

CONTRASTS = ("none", "pattern", "textual", "both")
EQUATION_STRATEGIES = ("exact", "nearest")
TEXT_STRATEGIES = ("bleu", "encoder", "random")
POOLS = ("train", "roda", "qr", "roda+qr")
"""Of problems: the training set alone, or with reversed operations, reordered questions, or both."""
POSITIVES = ("structure", "same", "foreign")
NEGATIVES = ("operators", "random")


@dataclass(frozen=True)
class SolverConfig:
    """How a solver is trained; see docs/papers/solver.md for where each value comes from."""

    backbone: str = backbone_option()
    contrast: str = option(
        "none",
        "none: learn to write equations; pattern: first on triples of problems whose equations have the same"
        " structure or differ in their operators (Pattern-CL), then on all problems; textual: also separate problems"
        " with similar wording but different equations (Textual-CL); both: one after the other",
        choices=CONTRASTS,
    )
    adapter_rank: int = adapter_option(", at a learning rate of about 1e-3")
    freeze_encoder: bool = option(
        False, "leave the encoder as it is and compute its states once: four times as fast, less accurate"
    )
    mask_numbers: bool = option(True, "replace every number of the text by the encoder's mask token")
    fold: int = fold_option()
    max_tokens: int = option(
        120, "longer problems are cut; those that lose a number are left out", minimum=8, maximum=512
    )
    most_tokens: int = option(
        45, "maximum number of operators and numbers in an equation", minimum=1, maximum=200
    )
    least_uses: int = option(
        1,
        "training equations that must use a constant before the decoder learns it; constants cost memory at every"
        " node, so use 15 for tens of thousands of problems",
        minimum=1,
    )
    beam: int = option(3, "trees kept while an equation is written", minimum=1, maximum=50)
    dropout: float = option(0.5, "of what the decoder reads", minimum=0, maximum=0.9)
    epochs: int = option(50, "passes over all problems", minimum=1, maximum=1000)
    max_steps: int = option(0, "stop after so many steps on all problems; 0: no bound", minimum=0)
    batch_size: int = option(16, "problems, or triples, a step", minimum=1, maximum=4096)
    learning_rate: float = option(5e-5, "of the encoder", minimum=1e-8, maximum=1)
    decoder_learning_rate: float = option(
        1e-3,
        "of the decoder, which begins at random; the papers use the encoder's",
        minimum=1e-8,
        maximum=1,
    )
    weight_decay: float = weight_decay_option()
    schedule: str = schedule_option()
    warmup_share: float = warmup_option(0.1)
    clip_norm: float = option(3.0, "bound on the gradient's norm; 0: none", minimum=0)
    margin: float = option(0.2, "of the contrast, in cosine", minimum=0, maximum=2)
    contrast_weight: float = option(
        5.0, "weight of the contrastive loss, added to the equation loss", minimum=0, maximum=100
    )
    contrast_epochs: int = option(30, "passes over the triples", minimum=1, maximum=1000)
    contrast_steps: int = option(0, "stop after so many steps on triples; 0: no bound", minimum=0)
    ramp_begins: float = option(
        0.05, "share of the steps on triples before which the contrast has no weight", minimum=0, maximum=1
    )
    ramp_ends: float = option(
        0.3, "share of these steps from which on it has its full weight", minimum=0, maximum=1
    )
    pairs_per_problem: int = option(
        4, "positives that a problem is paired with, at most", minimum=1, maximum=100
    )
    positives: str = option(
        "structure",
        "structure: problems whose equation, or a part of it, has the same operators at the same places; same: whose"
        " whole equation has; foreign: as structure, of problems in another language, negatives in the same one",
        choices=POSITIVES,
    )
    negatives: str = option(
        "operators",
        "operators: problems with as many nodes and other operators; random: any with another structure",
        choices=NEGATIVES,
    )
    temperature: float = option(
        0.05, "of the contrast of texts; the paper tries 0.05, 0.1 and 0.2", minimum=0.001, maximum=10
    )
    textual_weight: float = option(
        0.1,
        "of the contrast of texts beside writing equations; the paper tries 0.1 to 0.9",
        minimum=0,
        maximum=100,
    )
    pool: str = option(
        "roda+qr",
        "what the contrast of texts draws from beside the problems: roda: ask for a known number instead (RODA); qr:"
        " the question first; train: nothing",
        choices=POOLS,
    )
    equation_strategy: str = option(
        "exact",
        "of the contrast of texts. exact: positives have the same equation; nearest: where none has, the nearest one",
        choices=EQUATION_STRATEGIES,
    )
    text_strategy: str = option(
        "bleu",
        "texts are compared by bleu in both directions, by the frozen encoder, or not at all (random)",
        choices=TEXT_STRATEGIES,
    )
    augment: str = option(
        "train", "generated problems to train on as well; values as for pool", choices=POOLS
    )
    mixed_precision: bool = option(True, "compute the encoder in bfloat16 where the device has it")
    accumulate: int = accumulate_option()
    measured: int = option(
        300, "validation problems for measuring accuracy during training; 0: none", minimum=0
    )
    evaluate_every: int = evaluation_option(0)
    patience: int = patience_option()
    checkpoint_every: int = checkpoint_option(0)
    device: str = device_option()
    seed: int = seed_option()

    def __post_init__(self) -> None:
        check_config(self)
        problems = []
        if self.ramp_ends < self.ramp_begins:
            problems.append("ramp_ends must not be below ramp_begins")
        if self.freeze_encoder and self.adapter_rank:
            problems.append("freeze_encoder needs an adapter_rank of 0: a frozen encoder learns no adapters")
        if self.freeze_encoder and self.contrast in ("textual", "both"):
            problems.append("freeze_encoder must be off: the contrast of texts changes the encoder")
        if problems:
            raise ConfigurationError(problems)
