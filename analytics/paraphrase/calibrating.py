"""The verdict and the score's boundary of a trained scorer, and how well its encoder ranks labelled pairs."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk
from analytics.errors import DataError
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.cross_encoder.weights import served_pair_reader
from analytics.paraphrase.scoring.fitting import fit_boundary, fit_verdict
from analytics.paraphrase.scoring.metrics import pair_metrics, roc_auc
from analytics.paraphrase.scoring.scorer import cosines, weigh_pairs
from analytics.paraphrase.scoring.verdict import UNSTRETCHED, Verdict
from analytics.paraphrase.words.typed_text import reading_typed
from analytics.records import ParaphrasePair
from analytics.retrieval import Encode

MAIN_METRIC = "validation_auc"
"""The figure by which the best weights are kept."""

FEWEST_DECISIONS = 20
"""With fewer the shipped verdict stays as it is."""


def encoder_of(backbone: Backbone, config: ParaphraseConfig) -> Encode:
    """Return bulk encoding by a scorer's backbone of texts as the configuration has them read."""
    encode = partial(encode_bulk, backbone)
    return reading_typed(encode) if config.typed_numbers else encode


def fitted_boundary(encode: Encode, pairs: Sequence[ParaphrasePair], config: ParaphraseConfig) -> float:
    """Return the cosine that becomes a score of one half, by pairs that the encoder did not learn from.

    Args:
        encode: `encoder_of` the backbone.
        pairs: with labels.
        config: whether the score is stretched.

    Raises:
        DataError: there are not pairs of both labels.
    """
    check_labels(pairs)
    if not config.stretch:
        return UNSTRETCHED
    near = cosines([pair.texts for pair in pairs], encode)
    return fit_boundary(near, [int(pair.label or 0) for pair in pairs])


def decided_verdict(
    decided: Sequence[ParaphrasePair], *, boundary: float, pair_reader: Path | None
) -> Verdict:
    """Return the shipped verdict, drawn towards the decisions of a bank's reviewers where there are enough.

    The more decisions, the further. The score takes no part: the encoder may have learned from them.

    Args:
        decided: labelled pairs.
        boundary: of the score.
        pair_reader: weights of what reads the pairs for the verdict, where the scorer has it.
    """
    labels = [int(pair.label or 0) for pair in decided]
    if len(labels) < FEWEST_DECISIONS or set(labels) != {0, 1}:
        return Verdict(boundary=boundary)
    texts = [pair.texts for pair in decided]
    with tempfile.TemporaryDirectory() as place:
        readings = served_pair_reader(pair_reader, Path(place)).read(texts) if pair_reader else ()
    _findings, features = weigh_pairs(texts, [0.0] * len(texts), readings)
    return fit_verdict(features, labels, prior=Verdict(), boundary=boundary)


def check_labels(pairs: Sequence[ParaphrasePair]) -> None:
    """Raise DataError unless the pairs have both labels."""
    if {int(pair.label or 0) for pair in pairs} != {0, 1}:
        raise DataError("Too few questions could be set apart to fit the verdict on; give more questions.")


def validation_metrics(
    pairs: Sequence[ParaphrasePair], config: ParaphraseConfig, backbone: Backbone
) -> dict[str, float]:
    """Return metrics of all pairs; the AUC is the sources' mean, as sets of one label each would give it away."""
    scores = cosines([pair.texts for pair in pairs], encoder_of(backbone, config))
    figures = pair_metrics([int(pair.label or 0) for pair in pairs], scores)
    by_source: dict[str, list[tuple[int, float]]] = {}
    for pair, score in zip(pairs, scores, strict=True):
        by_source.setdefault(pair.source, []).append((int(pair.label or 0), score))
    areas = {
        source: roc_auc([label for label, _ in rows], [score for _, score in rows])
        for source, rows in by_source.items()
        if {label for label, _ in rows} == {0, 1}
    }
    several = {f"{MAIN_METRIC}_{source}": area for source, area in areas.items()} if len(areas) > 1 else {}
    return {
        MAIN_METRIC: fmean(areas.values()) if areas else figures.auc,
        **several,
        "validation_separation": figures.separation,
        "validation_macro_f1": figures.macro_f1,
        "validation_paper_macro_f1": figures.paper_macro_f1,
    }
