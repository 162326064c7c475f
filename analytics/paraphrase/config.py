"""Configuration of training a paraphrase scorer (ParaQD). Torch-free; the defaults are the paper's (section 4).

The paper gives no margin, and the margin of its released code does not apply, as it uses another distance.
The default was chosen on `aquarat_val`: 0.3 and 0.5 rank equally well, 0.5 separates better, and 0.8 ranks worse
(docs/results.md). The paper's encoder is MiniLM with 12 layers; the default here has 6.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from analytics.configuration import (
    CheckpointInterval,
    EvaluationInterval,
    MaximumTokens,
    Seed,
    TrainingConfig,
    WarmupShare,
    configuration,
)
from analytics.errors import DataError
from analytics.paraphrase.operators.catalog import OPERATORS, operator

TOGETHER = 4
"""Maximum number of triplets of one question in a group that is trained on together."""


@configuration
class ParaphraseConfig(TrainingConfig):
    """How a paraphrase scorer is trained."""

    loss: Literal["triplet", "mnrl", "both"] = Field(
        default="triplet",
        description=(
            "triplet: triplet loss on cosine distances; mnrl: multiple negatives ranking loss; both: the sum of the two"
        ),
    )
    margin: float = Field(
        default=0.5,
        ge=0,
        le=2,
        description=(
            "margin of the triplet loss on cosine distances; the default was chosen on AQuA-RAT's validation set"
        ),
    )
    scale: float = Field(
        default=20.0, ge=0.1, le=1000, description="factor applied to cosines in the multiple negatives ranking loss"
    )
    without: str = Field(
        default="",
        title="Operators to leave out",
        description="operators to leave out, separated by commas, as in the ablations of Table 2",
    )
    extra_operators: bool = Field(default=True, description="also use operators that are not in the paper")
    far_share: float = Field(
        default=0.5,
        ge=0,
        le=1,
        title="Share of hard triplets",
        description="share of triplets that pair a heavily reworded positive with a minimally edited negative",
    )
    typed_numbers: bool = Field(
        default=False,
        title="Normalise numbers and units",
        description="write numbers and units in one notation and repeat them after the text",
    )
    combine: bool = Field(
        default=False,
        title="All combinations",
        description=(
            "pair each positive of a question with each of its negatives; otherwise use the triplets as drawn"
        ),
    )
    stretch: bool = Field(
        default=False,
        title="Rescale the score",
        description=("rescale the score so that 0.5 splits the held-out pairs evenly; otherwise use the plain cosine"),
    )
    interpolate: bool = Field(
        default=False,
        title="Interpolate weights",
        description=(
            "interpolate between the pretrained and the trained weights (WiSE-FT) and keep the mix that ranks "
            "validation pairs best; without validation pairs the trained weights are kept"
        ),
    )
    triplets_per_question: int = Field(default=6, ge=1, le=50, description="number of triplets drawn for each question")
    given_passes: int = Field(
        default=1,
        ge=1,
        le=100,
        title="Passes over labelled pairs",
        description=(
            "number of passes over triplets from labelled pairs (decisions, other corpora) for each pass over the rest"
        ),
    )
    translator_there: str = Field(
        default="",
        title="Forward translation model",
        description="operator f1: model that translates into another language; leave empty to paraphrase by rules",
    )
    translator_back: str = Field(
        default="",
        title="Back-translation model",
        description="operator f1: model that translates back; leave empty to paraphrase by rules",
    )
    weak_paraphraser: str = Field(
        default="",
        title="Weak paraphrasing model",
        description="operator f9: weak paraphrasing model; leave empty to summarise by rules",
    )
    weak_prefix: str = Field(
        default="",
        title="Prefix for the weak model",
        description="operator f9: prefix that this model expects before a question",
    )
    learning_rate: float = Field(default=2e-5, ge=1e-8, le=1, description="learning rate of the AdamW optimiser")
    warmup_share: WarmupShare = 0.1
    epochs: int = Field(default=9, ge=1, le=1000, description="number of passes over the training triplets")
    batch_size: int = Field(default=16, ge=1, le=8192, description="number of triplets per batch")
    max_tokens: MaximumTokens = Field(default=128, description="questions longer than this are truncated")
    evaluate_every: EvaluationInterval = 200
    checkpoint_every: CheckpointInterval = 200
    seed: Seed = 3407

    def contradictions(self) -> list[str]:
        """Return contradictions between fields that are each valid on their own."""
        problems = []
        try:
            left_out = [operator(name) for name in self.left_out()]
        except DataError as error:
            problems.append(f"without: {error}")
        else:
            for is_positive, kind in ((True, "positive"), (False, "negative")):
                kinds = [
                    candidate
                    for candidate in OPERATORS
                    if candidate.is_training and candidate.is_positive == is_positive and candidate.is_paper
                ]
                if all(candidate in left_out for candidate in kinds):
                    problems.append(f"“without” excludes every {kind} operator of the paper")
        if bool(self.translator_there) != bool(self.translator_back):
            problems.append("translator_there and translator_back must be given together")
        return problems

    @property
    def groups_per_batch(self) -> int:
        """Return the number of triplet groups per batch; each has one triplet, or up to `TOGETHER` of one question."""
        return max(1, self.batch_size // TOGETHER) if self.combine else self.batch_size

    def left_out(self) -> tuple[str, ...]:
        """Return the names of the excluded operators."""
        return tuple(name.strip() for name in self.without.split(",") if name.strip())
