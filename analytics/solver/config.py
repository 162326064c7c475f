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
    clipping_option,
    device_option,
    evaluation_option,
    fold_option,
    measured_option,
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
        "none: only learn to write equations; pattern: first train on triples of problems whose equations share a"
        " structure or differ in their operators (Pattern-CL), then on all problems; textual: also separate problems"
        " with similar wording but different equations (Textual-CL); both: one after the other",
        choices=CONTRASTS,
        label="Contrastive learning",
    )
    adapter_rank: int = adapter_option(", at a learning rate of about 1e-3")
    freeze_encoder: bool = option(
        False, "keep the encoder fixed and compute its states once: four times as fast but less accurate"
    )
    mask_numbers: bool = option(True, "replace every number in the text with the encoder's mask token")
    fold: int = fold_option()
    max_tokens: int = tokens_option(
        120, "problems longer than this are truncated; those that lose a number are left out"
    )
    most_tokens: int = option(
        45,
        "maximum number of operators and numbers in an equation",
        minimum=1,
        maximum=200,
        label="Maximum equation length",
    )
    least_uses: int = option(
        1,
        "number of training equations that must use a constant before the decoder learns it; constants cost memory"
        " at every node, so use 15 for tens of thousands of problems",
        minimum=1,
        label="Minimum uses of a constant",
    )
    beam: int = option(
        3,
        "number of candidate trees kept while writing an equation",
        minimum=1,
        maximum=50,
        label="Beam size",
    )
    dropout: float = option(0.5, "dropout rate of the decoder's inputs", minimum=0, maximum=0.9)
    epochs: int = option(50, "number of passes over all problems", minimum=1, maximum=1000)
    max_steps: int = steps_option(" on all problems")
    batch_size: int = option(16, "number of problems or triples per batch", minimum=1, maximum=4096)
    learning_rate: float = option(5e-5, "learning rate of the encoder", minimum=1e-8, maximum=1)
    decoder_learning_rate: float = option(
        1e-3,
        "learning rate of the decoder, which starts from random weights; the papers use the encoder's rate",
        minimum=1e-8,
        maximum=1,
    )
    weight_decay: float = weight_decay_option()
    schedule: str = schedule_option()
    warmup_share: float = warmup_option(0.1)
    clip_norm: float = clipping_option(3.0)
    margin: float = option(0.2, "margin of the contrastive loss on cosine similarity", minimum=0, maximum=2)
    contrast_weight: float = option(
        5.0, "weight of the contrastive loss, added to the equation loss", minimum=0, maximum=100
    )
    contrast_epochs: int = option(30, "number of passes over the triples", minimum=1, maximum=1000)
    contrast_steps: int = option(
        0,
        "stop contrastive training after this many steps on triples (0 = no limit)",
        minimum=0,
        label="Maximum contrastive steps",
    )
    ramp_begins: float = option(
        0.05,
        "share of the steps on triples after which the contrastive loss starts to count",
        minimum=0,
        maximum=1,
        label="Ramp start",
    )
    ramp_ends: float = option(
        0.3,
        "share of the steps on triples after which the contrastive loss has its full weight",
        minimum=0,
        maximum=1,
        label="Ramp end",
    )
    pairs_per_problem: int = option(
        4,
        "maximum number of positives that a problem is paired with",
        minimum=1,
        maximum=100,
        label="Maximum pairs per problem",
    )
    positives: str = option(
        "structure",
        "structure: problems whose equation, or part of it, has the same operators in the same places; same: the whole"
        " equation must match; foreign: like structure, but with positives in another language",
        choices=POSITIVES,
    )
    negatives: str = option(
        "operators",
        "operators: problems whose equations have as many nodes but different operators; random: any problem with"
        " another structure",
        choices=NEGATIVES,
    )
    temperature: float = option(
        0.05,
        "temperature of the textual contrastive loss; the paper tries 0.05, 0.1 and 0.2",
        minimum=0.001,
        maximum=10,
    )
    textual_weight: float = option(
        0.1,
        "weight of the textual contrastive loss, added to the equation loss; the paper tries 0.1 to 0.9",
        minimum=0,
        maximum=100,
    )
    pool: str = option(
        "roda+qr",
        "generated problems for the textual contrast: roda: ask for a known number instead (RODA); qr: move the"
        " question to the front; train: no generated problems",
        choices=POOLS,
        label="Pool for the textual contrast",
    )
    equation_strategy: str = option(
        "exact",
        "how the textual contrast chooses positives: exact: only the same equation; nearest: the most similar equation"
        " if none is the same",
        choices=EQUATION_STRATEGIES,
    )
    text_strategy: str = option(
        "bleu",
        "how texts are compared: by BLEU in both directions (bleu), by the frozen encoder (encoder), or not at all"
        " (random)",
        choices=TEXT_STRATEGIES,
    )
    augment: str = option(
        "train",
        "generated problems to add to the training set; the values are those of the pool",
        choices=POOLS,
        label="Generated training problems",
    )
    mixed_precision: bool = option(True, "compute the encoder in bfloat16 on devices that support it")
    accumulate: int = accumulate_option()
    measured: int = measured_option("accuracy")
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
