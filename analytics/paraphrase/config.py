"""Configuration of training a paraphrase scorer (ParaQD). Torch-free; the defaults are the paper's (section 4).

The paper gives no margin; its released code uses another distance, so that its margin says nothing here. The default
was chosen on `aquarat_val`: 0.3 and 0.5 rank alike and 0.5 separates more, 0.8 ranks worse (docs/results.md). The
paper's encoder is MiniLM of 12 layers; the default here has 6.
"""

from __future__ import annotations

from dataclasses import dataclass

from analytics.configuration import (
    adapter_option,
    backbone_option,
    check_config,
    checkpoint_option,
    device_option,
    evaluation_option,
    mixed_precision_option,
    option,
    seed_option,
    warmup_option,
    weight_decay_option,
)
from analytics.errors import ConfigurationError, DataError
from analytics.paraphrase.operators.catalog import OPERATORS, operator

__all__ = ["LOSSES", "ParaphraseConfig"]

LOSSES = ("triplet", "mnrl", "both")


@dataclass(frozen=True)
class ParaphraseConfig:
    """How a paraphrase scorer is trained."""

    backbone: str = backbone_option()
    loss: str = option(
        "triplet",
        "triplet: margin on cosine distances; mnrl: multiple negatives ranking, the ablation; both: their sum",
        choices=LOSSES,
    )
    margin: float = option(
        0.5, "of the triplet loss, on cosine distances; chosen on aquarat_val", minimum=0, maximum=2
    )
    scale: float = option(
        20.0, "of the cosines in the multiple negatives ranking loss", minimum=0.1, maximum=1000
    )
    without: str = option("", "operators that are left out, comma-separated, as in the ablations of Table 2")
    extra_operators: bool = option(True, "use the operators that are not the paper's as well")
    far_share: float = option(
        0.5,
        "share of the triplets in which the positive is a far rewording and the negative a minimal edit",
        minimum=0,
        maximum=1,
    )
    typed_numbers: bool = option(
        False, "the encoder reads numbers and units in one notation, and once more behind the text"
    )
    combine: bool = option(
        False,
        "each positive of a question against each of its negatives; else the triplets as they are drawn",
    )
    stretch: bool = option(
        False, "stretch the score so that 0.5 divides the pairs set apart evenly; else it is the plain cosine"
    )
    interpolate: bool = option(
        False,
        "interpolate between the pretrained and trained weights (WiSE-FT), choosing the mix that ranks the validation"
        " pairs best; without validation pairs keep the trained weights",
    )
    triplets_per_question: int = option(6, "drawn for each question", minimum=1, maximum=50)
    given_passes: int = option(
        1,
        "passes over triplets from labelled pairs (decisions, other corpora) for each pass over the rest",
        minimum=1,
        maximum=100,
    )
    translator_there: str = option(
        "", "f1: model that translates into another language; empty: rule paraphraser"
    )
    translator_back: str = option("", "f1: model that translates back; empty: rule paraphraser")
    weak_paraphraser: str = option("", "f9: weak paraphrasing model; empty: lossy summariser")
    weak_prefix: str = option("", "f9: prompt prefix that the model expects before a question")
    learning_rate: float = option(2e-5, "of AdamW", minimum=1e-8, maximum=1)
    weight_decay: float = weight_decay_option()
    warmup_share: float = warmup_option(0.1)
    epochs: int = option(9, "passes over the training triplets", minimum=1, maximum=1000)
    max_steps: int = option(0, "stop after so many steps; 0: no bound", minimum=0)
    batch_size: int = option(16, "triplets a step", minimum=1, maximum=8192)
    max_tokens: int = option(128, "longer questions are cut", minimum=8, maximum=512)
    adapter_rank: int = adapter_option()
    mixed_precision: bool = mixed_precision_option()
    evaluate_every: int = evaluation_option(200)
    checkpoint_every: int = checkpoint_option(200)
    device: str = device_option()
    seed: int = seed_option(3407)

    def __post_init__(self) -> None:
        check_config(self)
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
                    problems.append(f"without leaves no {kind} operator of the paper")
        if bool(self.translator_there) != bool(self.translator_back):
            problems.append("translator_there and translator_back must be given together")
        if problems:
            raise ConfigurationError(problems)

    def left_out(self) -> tuple[str, ...]:
        """Return the names of the operators that are left out."""
        return tuple(name.strip() for name in self.without.split(",") if name.strip())
