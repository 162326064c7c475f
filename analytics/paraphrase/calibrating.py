"""The verdict of a trained encoder, fitted on labelled pairs, and how well it ranks them."""

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
from analytics.paraphrase.scoring.fitting import calibrate_bias, fit_boundary, fit_verdict
from analytics.paraphrase.scoring.metrics import pair_metrics, roc_auc
from analytics.paraphrase.scoring.scorer import cosines, weigh_pairs
from analytics.paraphrase.scoring.verdict import READING_CAP, UNCAPPED, UNSTRETCHED, Verdict, stretched
from analytics.paraphrase.words.typed_text import reading_typed
from analytics.records import ParaphrasePair
from analytics.retrieval import Encode

MAIN_METRIC = "validation_auc"
"""The figure by which the best weights are kept."""


def encoder_of(backbone: Backbone, config: ParaphraseConfig) -> Encode:
    """Return bulk encoding by a scorer's backbone of texts as the configuration has them read."""
    encode = partial(encode_bulk, backbone)
    return reading_typed(encode) if config.typed_numbers else encode


def calibrate(
    encode: Encode,
    pairs: Sequence[ParaphrasePair],
    config: ParaphraseConfig,
    *,
    validation: Sequence[ParaphrasePair] = (),
    pair_reader: Path | None = None,
) -> Verdict:
    """Fit the verdict of a trained encoder on labelled pairs that it did not learn from.

    Args:
        encode: `encoder_of` the backbone.
        pairs: with labels; most are operators' outputs.
        config: whether the score is stretched.
        validation: pairs on which the bias is set; each source must hold both labels. Without them it is that of
            `pairs`.
        pair_reader: weights of what reads the pairs for the verdict, where the scorer has it.

    Raises:
        DataError: there are not pairs of both labels.
    """
    check_labels(pairs)
    with tempfile.TemporaryDirectory() as place:
        read = served_pair_reader(pair_reader, Path(place)).read if pair_reader else None
        near = cosines([(pair.original, pair.paraphrase) for pair in pairs], encode)
        labels = [int(pair.label or 0) for pair in pairs]
        boundary = fit_boundary(near, labels) if config.stretch else UNSTRETCHED

        def features(labelled: Sequence[ParaphrasePair], scores: Sequence[float]) -> list[tuple[float, ...]]:
            texts = [(pair.original, pair.paraphrase) for pair in labelled]
            return weigh_pairs(texts, stretched(scores, boundary).tolist(), read(texts) if read else ())[1]

        score_cap = READING_CAP if pair_reader else UNCAPPED
        verdict = fit_verdict(features(pairs, near), labels, boundary=boundary, score_cap=score_cap)
        if not validation:
            return verdict
        near = cosines([(pair.original, pair.paraphrase) for pair in validation], encode)
        return calibrate_bias(
            verdict,
            features(validation, near),
            [int(pair.label or 0) for pair in validation],
            [pair.source for pair in validation],
        )


def balanced_sources(pairs: Sequence[ParaphrasePair]) -> list[ParaphrasePair]:
    """Return the pairs of those sources that hold both labels."""
    labels: dict[str, set[int | None]] = {}
    for pair in pairs:
        labels.setdefault(pair.source, set()).add(pair.label)
    return [pair for pair in pairs if labels[pair.source] >= {0, 1}]


def check_labels(pairs: Sequence[ParaphrasePair]) -> None:
    """Raise DataError unless the pairs have both labels."""
    if {int(pair.label or 0) for pair in pairs} != {0, 1}:
        raise DataError("Too few questions could be set apart to fit the verdict on; give more questions.")


def validation_metrics(
    pairs: Sequence[ParaphrasePair], config: ParaphraseConfig, backbone: Backbone
) -> dict[str, float]:
    """Return metrics of all pairs; the AUC is the sources' mean, as sets of one label each would give it away."""
    scores = cosines([(pair.original, pair.paraphrase) for pair in pairs], encoder_of(backbone, config))
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
