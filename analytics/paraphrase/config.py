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
    steps_option,
    tokens_option,
    warmup_option,
    weight_decay_option,
)
from analytics.errors import ConfigurationError, DataError
from analytics.paraphrase.operators.catalog import OPERATORS, operator

LOSSES = ("triplet", "mnrl", "both")


@dataclass(frozen=True)
class ParaphraseConfig:
    """How a paraphrase scorer is trained."""

    backbone: str = backbone_option()
    loss: str = option(
        "triplet",
        "triplet: triplet loss on cosine distances; mnrl: multiple negatives ranking loss; both: the sum of the two",
        choices=LOSSES,
    )
    margin: float = option(
        0.5,
        "margin of the triplet loss on cosine distances; the default was chosen on AQuA-RAT's validation set",
        minimum=0,
        maximum=2,
    )
    scale: float = option(
        20.0,
        "factor applied to cosines in the multiple negatives ranking loss",
        minimum=0.1,
        maximum=1000,
    )
    without: str = option(
        "",
        "operators to leave out, separated by commas, as in the ablations of Table 2",
        label="Operators to leave out",
    )
    extra_operators: bool = option(True, "also use operators that are not in the paper")
    far_share: float = option(
        0.5,
        "share of triplets that pair a heavily reworded positive with a minimally edited negative",
        minimum=0,
        maximum=1,
        label="Share of hard triplets",
    )
    typed_numbers: bool = option(
        False,
        "write numbers and units in one notation and repeat them after the text",
        label="Normalise numbers and units",
    )
    combine: bool = option(
        False,
        "pair each positive of a question with each of its negatives; otherwise use the triplets as drawn",
        label="All combinations",
    )
    stretch: bool = option(
        False,
        "rescale the score so that 0.5 splits the held-out pairs evenly; otherwise use the plain cosine",
        label="Rescale the score",
    )
    interpolate: bool = option(
        False,
        "interpolate between the pretrained and the trained weights (WiSE-FT) and keep the mix that ranks validation"
        " pairs best; without validation pairs the trained weights are kept",
        label="Interpolate weights",
    )
    triplets_per_question: int = option(
        6, "number of triplets drawn for each question", minimum=1, maximum=50
    )
    given_passes: int = option(
        1,
        "number of passes over triplets from labelled pairs (decisions, other corpora) for each pass over the rest",
        minimum=1,
        maximum=100,
        label="Passes over labelled pairs",
    )
    translator_there: str = option(
        "",
        "operator f1: model that translates into another language; leave empty to paraphrase by rules",
        label="Forward translation model",
    )
    translator_back: str = option(
        "",
        "operator f1: model that translates back; leave empty to paraphrase by rules",
        label="Back-translation model",
    )
    weak_paraphraser: str = option(
        "",
        "operator f9: weak paraphrasing model; leave empty to summarise by rules",
        label="Weak paraphrasing model",
    )
    weak_prefix: str = option(
        "",
        "operator f9: prefix that this model expects before a question",
        label="Prefix for the weak model",
    )
    learning_rate: float = option(2e-5, "learning rate of the AdamW optimiser", minimum=1e-8, maximum=1)
    weight_decay: float = weight_decay_option()
    warmup_share: float = warmup_option(0.1)
    epochs: int = option(9, "number of passes over the training triplets", minimum=1, maximum=1000)
    max_steps: int = steps_option()
    batch_size: int = option(16, "number of triplets per batch", minimum=1, maximum=8192)
    max_tokens: int = tokens_option(128, "questions longer than this are truncated")
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
