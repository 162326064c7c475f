"""Training and calibration data of a scorer: triplets of most questions, pairs of a fixed held-out tenth.

They are computed once and cached next to the checkpoint of a training run.
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
from analytics.paraphrase.metrics import roc_auc
from analytics.paraphrase.operators.catalog import select_operators, with_functions
from analytics.paraphrase.pair_files import Material
from analytics.paraphrase.seq2seq import training_functions
from analytics.paraphrase.triplets import Triplet, make_triplets, triplet_pairs, wording_distance
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut, is_held_out, linked_texts, masked_text
from analytics.training.checkpoint import kept_or_made
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext

_CALIBRATED_QUESTIONS = 500


@dataclass(frozen=True)
class Prepared:
    """All data of a training run, computed once and cached next to its checkpoint.

    Attributes:
        triplets: the encoder's training data.
        pairs: labelled pairs of the held-out questions, for the verdict.
        kept_out: number of questions and given pairs left out because a test set contains them.
    """

    triplets: list[Triplet]
    pairs: list[ParaphrasePair]
    kept_out: int


@dataclass(frozen=True)
class TripletReport:
    """Statistics of a set of triplets.

    Attributes:
        positive_farther: share of the triplets with the positive farther from the question than the negative.
        distance_auc: how well closeness alone separates positives from negatives; 0.5 means not at all.
    """

    triplets: int
    questions: int
    positive_farther: float
    distance_auc: float
    positives: dict[str, int]
    negatives: dict[str, int]


def report_triplets(triplets: Sequence[Triplet]) -> TripletReport:
    """Compute statistics of triplets, including how much closeness of wording alone gives away.

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
        positive_farther=sum(positive < negative for positive, negative in zip(near, far, strict=True)) / len(triplets),
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
    """Make the training triplets, and the pairs for the verdict.

    Progress is reported before each training question.

    Raises:
        Cancelled: the context requested it.
        BackboneError: a model for an operator cannot be loaded.
    """
    kept_out = kept_out or KeptOut()
    usable, left_out = kept_out.split(dict.fromkeys(questions))
    labelled = [pair for pair in given if pair.label is not None]
    allowed = [pair for pair in labelled if not kept_out.holds(pair.original) and not kept_out.holds(pair.paraphrase)]
    is_apart = set_apart(allowed)
    make = partial(
        make_triplets,
        operators=with_functions(
            select_operators(extra=config.extra_operators, without=config.left_out()), training_functions(config)
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
    # If the findings had selected the positives, they could not be weighed against the score.
    made = make([apart[row] for row in sorted(chosen)], check_positives=False)
    given_apart = [pair for pair in allowed if is_apart(pair.original)]
    pairs = {pair.texts: pair for pair in (*triplet_pairs(made), *given_apart)}
    context.check("Training was stopped while its triplets were made.")
    return Prepared(triplets, list(pairs.values()), left_out + len(labelled) - len(allowed))


def set_apart(given: Sequence[ParaphrasePair]) -> Callable[[str], bool]:
    """Return a predicate for held-out questions; texts linked by labelled pairs are held out together or not at all."""
    linked = linked_texts(pair.texts for pair in given)
    return lambda text: is_held_out(linked.get(masked_text(text), text))


def prepared_material(material: Material, config: ParaphraseConfig, context: TrainingContext) -> Prepared:
    """Return the data prepared by a stopped training of the same material, or prepare it."""
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
    """Return a stopped training's cached data, or compute and cache it.

    Args:
        folder: folder of the checkpoint; None disables caching.
        identity: identifies settings, questions and exclusions; cached data of others is ignored.
        make: computes the data.

    Raises:
        ArtifactError: the cached data cannot be read.
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
