"""Configuration of the word-problem solver. Torch-free.

The defaults are those of Pattern-CL (Li et al., 2022) where given; if encoders smaller than BERT-base need
others, the option's text says so.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from analytics.configuration import (
    AdapterRank,
    ClippingNorm,
    Epochs,
    Fold,
    LearningRate,
    MaximumSteps,
    MaximumTokens,
    Measured,
    Schedule,
    Temperature,
    TrainingConfig,
    WarmupShare,
    configuration,
)

EquationStrategy = Literal["exact", "nearest"]
Pool = Literal["train", "roda", "qr", "roda+qr"]
"""Pools of problems: the training set alone, or with reversed operations, reordered questions, or both."""


@configuration
class SolverConfig(TrainingConfig):
    """How a solver is trained; docs/papers/solver.md gives the source of each value."""

    contrast: Literal["none", "pattern", "textual", "both"] = Field(
        default="none",
        title="Contrastive learning",
        description=(
            "none: only learn to write equations; pattern: first train on triples of problems whose equations "
            "share a structure or differ in their operators (Pattern-CL), then on all problems; textual: also "
            "separate problems with similar wording but different equations (Textual-CL); both: one after the "
            "other"
        ),
    )
    adapter_rank: AdapterRank = Field(
        default=0,
        description=(
            "train low-rank adapters of this rank instead of the encoder's weights, at a learning rate of about "
            "1e-3 (0 = train all weights)"
        ),
    )
    freeze_encoder: bool = Field(
        default=False,
        description="keep the encoder fixed and compute its states once: four times as fast but less accurate",
    )
    mask_numbers: bool = Field(
        default=True, description="replace every number in the text with the encoder's mask token"
    )
    fold: Fold = -1
    max_tokens: MaximumTokens = Field(
        default=120, description="problems longer than this are truncated; those that lose a number are left out"
    )
    most_tokens: int = Field(
        default=45,
        ge=1,
        le=200,
        title="Maximum equation length",
        description="maximum number of operators and numbers in an equation",
    )
    least_uses: int = Field(
        default=1,
        ge=1,
        title="Minimum uses of a constant",
        description=(
            "number of training equations that must use a constant before the decoder learns it; constants cost "
            "memory at every node, so use 15 for tens of thousands of problems"
        ),
    )
    beam: int = Field(
        default=3,
        ge=1,
        le=50,
        title="Beam size",
        description="number of candidate trees kept while writing an equation",
    )
    dropout: float = Field(default=0.5, ge=0, le=0.9, description="dropout rate of the decoder's inputs")
    drop_states: bool = Field(
        default=True,
        description="also apply that dropout to the encoder's states; Textual-CL's published code does not",
    )
    epochs: Epochs = Field(default=50, description="number of passes over all problems")
    max_steps: MaximumSteps = Field(
        default=0, description="stop training after this many steps on all problems (0 = no limit)"
    )
    batch_size: int = Field(default=16, ge=1, le=4096, description="number of problems or triples per batch")
    learning_rate: LearningRate = Field(default=5e-5, description="learning rate of the encoder")
    decoder_learning_rate: LearningRate = Field(
        default=1e-3,
        description=(
            "learning rate of the decoder, which starts from random weights; the papers use the encoder's rate"
        ),
    )
    schedule: Schedule = "linear"
    warmup_share: WarmupShare = 0.1
    clip_norm: ClippingNorm = 3.0
    margin: float = Field(default=0.2, ge=0, le=2, description="margin of the contrastive loss on cosine similarity")
    contrast_weight: float = Field(
        default=5.0, ge=0, le=100, description="weight of the contrastive loss, added to the equation loss"
    )
    contrast_epochs: Epochs = Field(default=30, description="number of passes over the triples")
    contrast_steps: int = Field(
        default=0,
        ge=0,
        title="Maximum contrastive steps",
        description="stop contrastive training after this many steps on triples (0 = no limit)",
    )
    positives: Literal["structure", "same", "foreign"] = Field(
        default="structure",
        description=(
            "structure: problems whose equation, or part of it, has the same operators in the same places; "
            "same: the whole equation must match; foreign: like structure, but with positives in another "
            "language"
        ),
    )
    negatives: Literal["operators", "random"] = Field(
        default="operators",
        description=(
            "operators: problems whose equations have as many nodes but different operators; random: any "
            "problem with another structure"
        ),
    )
    temperature: Temperature = Field(
        default=0.05, description="temperature of the textual contrastive loss; the paper tries 0.05, 0.1 and 0.2"
    )
    textual_weight: float = Field(
        default=0.1,
        ge=0,
        le=100,
        description=("weight of the textual contrastive loss, added to the equation loss; the paper tries 0.1 to 0.9"),
    )
    pool: Pool = Field(
        default="roda+qr",
        title="Pool for the textual contrast",
        description=(
            "generated problems for the textual contrast: roda: ask for a known number instead (RODA); qr: move "
            "the question to the front; train: no generated problems"
        ),
    )
    equation_strategy: EquationStrategy = Field(
        default="exact",
        description=(
            "how the textual contrast chooses positives: exact: only the same equation; nearest: the most "
            "similar equation if none is the same"
        ),
    )
    text_strategy: Literal["bleu", "encoder", "random"] = Field(
        default="bleu",
        description=(
            "how texts are compared: by BLEU in both directions (bleu), by the frozen encoder (encoder), or not "
            "at all (random)"
        ),
    )
    augment: Pool = Field(
        default="train",
        title="Generated training problems",
        description="generated problems to add to the training set; the values are those of the pool",
    )
    mixed_precision: bool = Field(
        default=True, description="compute the encoder in bfloat16 on devices that support it"
    )
    measured: Measured = Field(
        default=300, description="number of validation problems used to measure accuracy during training (0 = none)"
    )

    def contradictions(self) -> list[str]:
        """Return contradictions between fields that are each valid on their own."""
        problems = []
        if self.freeze_encoder and self.adapter_rank:
            problems.append("freeze_encoder needs an adapter_rank of 0: a frozen encoder learns no adapters")
        if self.freeze_encoder and self.contrast in ("textual", "both"):
            problems.append("freeze_encoder must be off: the contrast of texts changes the encoder")
        return problems
