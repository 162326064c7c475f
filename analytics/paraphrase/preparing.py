"""What a scorer learns from and is calibrated on: triplets of most questions, pairs of a fixed tenth set apart.

Made once, and kept beside the checkpoint of a training.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from analytics.configuration import training_settings
from analytics.errors import ArtifactError, DataError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.operators.catalog import select_operators, with_functions
from analytics.paraphrase.pair_files import Material
from analytics.paraphrase.scoring.metrics import roc_auc
from analytics.paraphrase.seq2seq import training_functions
from analytics.paraphrase.triplets import Triplet, make_triplets, triplet_pairs, wording_distance
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut, is_held_out, linked_texts, masked_text
from analytics.training.checkpoint import kept_or_made
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext

_CALIBRATED_QUESTIONS = 500


@dataclass(frozen=True)
class Prepared:
    """Everything that a training reads, made once and kept beside its checkpoint.

    Attributes:
        triplets: what the encoder learns.
        pairs: labelled pairs of the questions set apart, for the verdict.
        kept_out: questions and given pairs that were left out because a test set holds them.
    """

    triplets: list[Triplet]
    pairs: list[ParaphrasePair]
    kept_out: int


@dataclass(frozen=True)
class TripletReport:
    """What a set of triplets holds.

    Attributes:
        positive_farther: share of the triplets whose positive is farther from the question than the negative.
        distance_auc: how well closeness alone tells positives from negatives; 0.5 means that it does not.
    """

    triplets: int
    questions: int
    positive_farther: float
    distance_auc: float
    positives: dict[str, int]
    negatives: dict[str, int]


def report_triplets(triplets: Sequence[Triplet]) -> TripletReport:
    """Count what a set of triplets holds, and how much closeness of wording alone gives away.

    Raises:
        DataError: there are no triplets.
    """
    if not triplets:
        raise DataError("There are no triplets.")
    near = [-wording_distance(triplet.anchor, triplet.positive) for triplet in triplets]
    far = [-wording_distance(triplet.anchor, triplet.negative) for triplet in triplets]
    return TripletReport(
        triplets=len(triplets),
        questions=len({triplet.anchor for triplet in triplets}),
        positive_farther=sum(positive < negative for positive, negative in zip(near, far, strict=True))
        / len(triplets),
        distance_auc=roc_auc([1] * len(near) + [0] * len(far), near + far),
        positives=dict(Counter(triplet.positive_operator for triplet in triplets).most_common()),
        negatives=dict(Counter(triplet.negative_operator for triplet in triplets).most_common()),
    )


def prepare(
    questions: Sequence[str],
    config: ParaphraseConfig,
    *,
    given: Sequence[ParaphrasePair] = (),
    kept_out: KeptOut | None = None,
    context: TrainingContext = DEFAULT_CONTEXT,
) -> Prepared:
    """Make the triplets to learn, and the pairs for the verdict.

    Progress is reported before each question that is learned from.

    Raises:
        Cancelled: the context said so.
        BackboneError: a model for an operator cannot be loaded.
    """
    kept_out = kept_out or KeptOut()
    usable, left_out = kept_out.split(dict.fromkeys(questions))
    labelled = [pair for pair in given if pair.label is not None]
    allowed = [
        pair for pair in labelled if not kept_out.holds(pair.original) and not kept_out.holds(pair.paraphrase)
    ]
    is_apart = set_apart(allowed)
    make = partial(
        make_triplets,
        operators=with_functions(
            select_operators(extra=config.extra_operators, without=config.left_out()),
            training_functions(config),
        ),
        count=config.triplets_per_question,
        far_share=config.far_share,
        seed=config.seed,
        cancel=context.cancel,
    )
    triplets = make(
        [text for text in usable if not is_apart(text)],
        given=[pair for pair in allowed if not is_apart(pair.original)],
        progress=context.progress_of("Making triplets"),
    )
    apart = [text for text in usable if is_apart(text)]
    chosen = np.random.default_rng(config.seed).permutation(len(apart))[:_CALIBRATED_QUESTIONS]
    # Where the findings had chosen the positives, they could not be weighed against the score.
    made = make([apart[row] for row in sorted(chosen)], check_positives=False)
    given_apart = [pair for pair in allowed if is_apart(pair.original)]
    pairs = {pair.texts: pair for pair in (*triplet_pairs(made), *given_apart)}
    context.check("Training was stopped while its triplets were made.")
    return Prepared(triplets, list(pairs.values()), left_out + len(labelled) - len(allowed))


def set_apart(given: Sequence[ParaphrasePair]) -> Callable[[str], bool]:
    """Return whether a question is set apart for the verdict: all texts that labelled pairs link are, or none."""
    linked = linked_texts(pair.texts for pair in given)
    return lambda text: is_held_out(linked.get(masked_text(text), text))


def prepared_material(material: Material, config: ParaphraseConfig, context: TrainingContext) -> Prepared:
    """Return what a stopped training of the same material had prepared, or what is prepared now."""
    identity = json.dumps(
        [
            training_settings(config),
            list(material.questions),
            [astuple(pair) for pair in material.given],
            sorted(material.kept_out.keys),
        ]
    )
    make = partial(
        prepare, material.questions, config, given=material.given, kept_out=material.kept_out, context=context
    )
    return kept_or_prepared(context.checkpoints, identity, make)


def kept_or_prepared(folder: Path | None, identity: str, make: Callable[[], Prepared]) -> Prepared:
    """Return what a stopped training was doing, or what is made anew; then kept in the folder.

    Args:
        folder: of the checkpoint; None keeps nothing.
        identity: settings, questions and what is kept out; triplets of others are not taken.
        make: makes them.

    Raises:
        ArtifactError: what is kept cannot be read.
    """
    if folder is None:
        return make()
    path = folder / f"triplets-{hashlib.sha256(identity.encode()).hexdigest()[:16]}.json.gz"
    body = kept_or_made(path, lambda: _as_rows(make()))
    try:
        return Prepared(
            [Triplet(*row) for row in body["triplets"]],
            [ParaphrasePair(*row) for row in body["pairs"]],
            body["kept_out"],
        )
    except (TypeError, KeyError) as error:
        raise ArtifactError(f"{path} cannot be read; remove it to start over.") from error


def _as_rows(prepared: Prepared) -> dict[str, Any]:
    return {
        "triplets": [astuple(triplet) for triplet in prepared.triplets],
        "pairs": [astuple(pair) for pair in prepared.pairs],
        "kept_out": prepared.kept_out,
    }
