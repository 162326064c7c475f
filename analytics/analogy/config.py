"""Configuration of the retriever of analogous problems. Torch-free.

The defaults are those of Yang et al., "Learning by Analogy", section 3.1, where given; docs/papers/analogy.md
describes the differences.
"""

from __future__ import annotations

from pydantic import Field

from analytics.configuration import (
    ClippingNorm,
    Epochs,
    Fold,
    LearningRate,
    MaximumTokens,
    Measured,
    Schedule,
    Temperature,
    TrainingConfig,
    configuration,
)


@configuration
class AnalogyConfig(TrainingConfig):
    """How a retriever is trained; docs/papers/analogy.md gives the source of each value."""

    slot_text: bool = Field(
        default=False,
        title="Replace numbers with placeholders",
        description="replace each number in a text with a placeholder: n1, n2, ... (not from the paper)",
    )
    all_positives: bool = Field(
        default=False,
        description=(
            "use every question in the batch with the same graph as a positive, not only the paired one (not "
            "from the paper)"
        ),
    )
    temperature: Temperature = Field(default=0.05, description="temperature of the contrastive loss (tau)")
    share: float = Field(
        default=1.0,
        ge=0.001,
        le=1,
        title="Share of the training data",
        description="share of the training data to use, drawn at random",
    )
    fold: Fold = -1
    freeze_embeddings: bool = Field(default=True, description="do not train the token embeddings (not from the paper)")
    learning_rate: LearningRate = 3e-5
    schedule: Schedule = "linear"
    clip_norm: ClippingNorm = 0.0
    epochs: Epochs = Field(default=5, description="number of passes over the questions that have a positive")
    batch_size: int = Field(
        default=16, ge=2, le=4096, description="number of questions per batch, each with a positive"
    )
    max_tokens: MaximumTokens = Field(default=128, description="questions longer than this are truncated")
    measured: Measured = Field(
        default=300, description="number of validation problems used to measure retrieval during training (0 = none)"
    )
