"""Fit the verdict and the score boundary of a trained scorer, and evaluate its encoder."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk
from analytics.errors import DataError
from analytics.inference.encode import Encode
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.cross_encoder import served_pair_reader
from analytics.paraphrase.metrics import pair_metrics, roc_auc
from analytics.paraphrase.scorer import cosines, reading_typed, weigh_pairs
from analytics.paraphrase.verdict import FEATURES, SPEAK_AGAINST, SPEAK_FOR, UNSTRETCHED, Verdict
from analytics.records import ParaphrasePair

Array = npt.NDArray[np.float64]

_PENALTY = 4.0  # factor of the squared standardised weights in the loss summed over pairs
_HALF_CLOSE = 0.5


def fit_boundary(cosines: Sequence[float], labels: Sequence[int]) -> float:
    """Return the cosine at which both labels are equally probable, counting the labels equally in the fit.

    Raises:
        DataError: as for `fit_verdict`.
    """
    rows, truth = np.asarray(cosines, dtype=np.float64)[:, None], np.asarray(labels)
    _check(rows, truth)
    scale = float(rows.std()) or 1.0
    model = LogisticRegression(class_weight="balanced", tol=1e-10, max_iter=1_000)
    model.fit((rows - rows.mean()) / scale, truth)
    weight = float(model.coef_[0, 0]) / scale
    if weight <= 0:
        return UNSTRETCHED  # the cosine is uninformative
    return float(np.clip(rows.mean() - model.intercept_[0] / weight, 0.0, 0.99))


def fit_verdict(
    features: Sequence[Sequence[float]],
    labels: Sequence[int],
    *,
    sources: Sequence[str] = (),
    prior: Verdict | None = None,
    boundary: float = UNSTRETCHED,
) -> Verdict:
    """Fit the verdict: logistic regression without a bias, in which no feature may have the wrong sign.

    Args:
        features: one row per pair, as returned by `verdict_features`.
        labels: 1 valid, 0 not.
        sources: author of each pair. If given, pairs are weighted as in `balanced_shares`, because an author's
            style of making invalid pairs must not reveal that a pair is invalid. Otherwise every pair has the
            same weight, and the share of valid pairs is learned too.
        prior: the penalty pulls towards its weights; without it, towards 0.
        boundary: boundary of the verdict.

    Raises:
        DataError: one of the labels is missing, or a feature is not finite.
    """
    rows, truth = np.asarray(features, dtype=np.float64), np.asarray(labels)
    if rows.ndim != 2 or rows.shape[1] != len(FEATURES):
        raise DataError("The verdict needs pairs with all features.")
    _check(rows, truth)
    shares = balanced_shares(rows, truth, sources) if sources else np.full(len(rows), 1 / len(rows))
    spread = rows.std(axis=0)
    spread[spread == 0] = 1.0
    middle = np.array(prior.weights) if prior else np.zeros(len(FEATURES))
    signs = 2 * truth - 1

    def loss(weights: Array) -> float:
        penalty = _PENALTY / len(rows) * float(np.square((weights - middle) * spread).sum())
        return float(shares @ np.logaddexp(0, -signs * (rows @ weights))) + penalty

    bounds = [(0 if name in SPEAK_FOR else None, 0 if name in SPEAK_AGAINST else None) for name in FEATURES]
    weights = minimize(loss, middle, bounds=bounds, method="L-BFGS-B").x
    return Verdict(tuple(weights.tolist()), len(rows), boundary)


def _check(rows: Array, truth: npt.NDArray[np.int_]) -> None:
    if set(truth.tolist()) != {0, 1} or len(rows) != len(truth):
        raise DataError("The verdict needs pairs of both labels.")
    if not np.isfinite(rows).all():
        raise DataError("The verdict needs finite features.")


def balanced_shares(rows: Array, truth: npt.NDArray[np.int_], sources: Sequence[str]) -> Array:
    """Return pair weights: equal per source, then equal per label among close texts and among others."""
    names = np.asarray(sources)
    shares = np.array([1 / np.count_nonzero(names == name) for name in names])
    is_close = rows[:, FEATURES.index("close")] > _HALF_CLOSE
    for half in (is_close, ~is_close):
        whole = shares[half].sum()
        cells = [half & (truth == label) for label in (0, 1)]
        if all(cell.any() for cell in cells):
            for cell in cells:
                shares[cell] *= whole / 2 / shares[cell].sum()
    return shares / shares.sum()


MAIN_METRIC = "validation_auc"
"""The metric that selects the best weights."""

FEWEST_DECISIONS = 20
"""With fewer decisions the shipped verdict is used unchanged."""


def encoder_of(backbone: Backbone, config: ParaphraseConfig) -> Encode:
    """Return a bulk encoder using a scorer's backbone, reading texts as configured."""
    encode = partial(encode_bulk, backbone)
    return reading_typed(encode) if config.typed_numbers else encode


def fitted_boundary(encode: Encode, pairs: Sequence[ParaphrasePair], config: ParaphraseConfig) -> float:
    """Return the cosine that maps to a score of one half, fitted on pairs that the encoder was not trained on.

    Args:
        encode: `encoder_of` the backbone.
        pairs: labelled pairs.
        config: whether the score is stretched.

    Raises:
        DataError: one of the labels is missing.
    """
    check_labels(pairs)
    if not config.stretch:
        return UNSTRETCHED
    near = cosines([pair.texts for pair in pairs], encode)
    return fit_boundary(near, [int(pair.label or 0) for pair in pairs])


def decided_verdict(decided: Sequence[ParaphrasePair], *, boundary: float, pair_reader: Path | None) -> Verdict:
    """Return the shipped verdict, adapted to the decisions of a bank's reviewers if there are enough.

    More decisions shift it further. The score is not used: the encoder may have learned from these pairs.

    Args:
        decided: labelled pairs.
        boundary: boundary of the score.
        pair_reader: weights of the scorer's pair reader, if it has one.
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
        raise DataError("Too few questions are left to fit the verdict on; add more questions.")


def validation_metrics(
    pairs: Sequence[ParaphrasePair], config: ParaphraseConfig, backbone: Backbone
) -> dict[str, float]:
    """Return metrics of all pairs; the AUC is averaged over the sources that have pairs with both labels."""
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
