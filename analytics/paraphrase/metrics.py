"""Metrics of a scorer, rules that it has to beat, and the fitting of its verdict and of its score's boundary.

ParaQD (Gupta et al., DASFAA 2022), sections 4.4 and 5: precision, recall and F1 at 0.5, macro and weighted,
and the separation, which is the mean score of valid pairs minus the mean score of invalid ones. The paper's
F1 is the harmonic mean of the *averaged* precision and recall; scikit-learn's is the average of the classes'
F1. Both are given. The ROC AUC needs no threshold. All of these are computed by scikit-learn,
so never in the web process.

A rule is untrained and returns +1 (valid) or -1; the edit similarity is a number in between. On ParaQD's own test
sets the rule "same set of numbers" already exceeds the published separation, so a scorer is only useful if it beats
the rule, and the rule combined with a frozen encoder's cosine (`rule_first`).
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import fmean

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support, roc_auc_score

from analytics.backbone.backbone import Backbone
from analytics.backbone.bert import encode_bulk
from analytics.errors import DataError
from analytics.inference.encode import Encode
from analytics.metrics import accuracy
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.cross_encoder import served_pair_reader
from analytics.paraphrase.findings.rules import find_changes
from analytics.paraphrase.scorer import cosines, reading_typed, weigh_pairs
from analytics.paraphrase.verdict import FEATURES, SPEAK_AGAINST, SPEAK_FOR, UNSTRETCHED, Verdict
from analytics.records import ParaphrasePair
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

Array = npt.NDArray[np.float64]

_PENALTY = 4.0  # factor of the penalty, a sum of squared standardised weights; the loss is a sum over pairs
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


THRESHOLD = 0.5
"""Pairs that score above it count as valid (section 5)."""


@dataclass(frozen=True, slots=True)
class PairMetrics:
    """All metrics of a set of scored pairs.

    Attributes:
        macro_f1, weighted_f1: scikit-learn's averages over the classes' F1.
        paper_macro_f1, paper_weighted_f1: the harmonic mean of the averaged precision and recall.
        positive_mean, negative_mean: mean score of the valid and of the invalid pairs.
        separation: their difference.
        auc: area under the ROC curve; ties count one half.
        confusion: ((invalid predicted invalid, invalid predicted valid), (valid predicted invalid, valid
            predicted valid)).
    """

    pairs: int
    valid: int
    accuracy: float
    macro_precision: float
    macro_recall: float
    macro_f1: float
    paper_macro_f1: float
    weighted_precision: float
    weighted_recall: float
    weighted_f1: float
    paper_weighted_f1: float
    positive_mean: float
    negative_mean: float
    separation: float
    auc: float
    confusion: tuple[tuple[int, int], tuple[int, int]]

    def as_dict(self) -> dict[str, object]:
        """Return the metrics as plain values."""
        return asdict(self)


def pair_metrics(labels: Sequence[int], scores: Sequence[float], *, threshold: float = THRESHOLD) -> PairMetrics:
    """Evaluate scores against labels (1 valid, 0 not).

    A class that is never predicted has precision 0.

    Raises:
        DataError: lengths differ, a label is neither 0 nor 1, or one of the classes is missing.
    """
    truth, values = _checked(labels, scores)
    predicted = values > threshold
    invalid, valid = confusion_matrix(truth, predicted, labels=[0, 1]).tolist()
    averages: dict[str, float] = {}
    for name in ("macro", "weighted"):
        figures = precision_recall_fscore_support(truth, predicted, average=name, zero_division=0)
        precision, recall, f1 = map(float, figures[:3])
        paper_f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        averages |= {f"{name}_precision": precision, f"{name}_recall": recall, f"{name}_f1": f1}
        averages[f"paper_{name}_f1"] = paper_f1
    positive, negative = float(values[truth == 1].mean()), float(values[truth == 0].mean())
    return PairMetrics(
        pairs=len(truth),
        valid=int(truth.sum()),
        accuracy=float((truth == predicted).mean()),
        positive_mean=positive,
        negative_mean=negative,
        separation=positive - negative,
        auc=float(roc_auc_score(truth, values)),
        confusion=((invalid[0], invalid[1]), (valid[0], valid[1])),
        **averages,
    )


def roc_auc(labels: Sequence[int], scores: Sequence[float]) -> float:
    """Return the probability that a valid pair scores above an invalid one, counting ties as one half.

    >>> roc_auc([1, 0, 1, 0], [0.9, 0.8, 0.8, 0.1])
    0.875

    Raises:
        DataError: as for :func:`pair_metrics`.
    """
    truth, values = _checked(labels, scores)
    return float(roc_auc_score(truth, values))


def operator_accuracy(meant: Sequence[int], labels: Sequence[int]) -> dict[str, float]:
    """Return how often an operator's intended label (1 valid) agrees with people's (section 4.5).

    Returns:
        ``"precision"`` and ``"recall"`` of the valid class, and ``"accuracy"``.

    Raises:
        DataError: lengths differ, or there is nothing to compare.
    """
    if len(meant) != len(labels) or not meant:
        raise DataError("There must be as many labels as operators' outputs, and at least one.")
    both = sum(meaning == label == 1 for meaning, label in zip(meant, labels, strict=True))
    return {
        "precision": both / sum(meant) if sum(meant) else 0.0,
        "recall": both / sum(labels) if sum(labels) else 0.0,
        "accuracy": accuracy(meant, labels),
    }


def _checked(labels: Sequence[int], scores: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    if len(labels) != len(scores):
        raise DataError(f"There are {len(labels)} labels and {len(scores)} scores.")
    truth, values = np.asarray(labels, dtype=int), np.asarray(scores, dtype=float)
    if not set(truth.tolist()) == {0, 1}:
        raise DataError("The labels must include both 1 (valid) and 0 (not valid).")
    if not np.isfinite(values).all():
        raise DataError("Every score must be a finite number.")
    return truth, values


def same_numbers(original: str, paraphrase: str) -> float:
    """Return 1 if both texts contain the same set of numbers, in digits or words, else -1.

    >>> same_numbers("3 pens and 3 cards", "three pens"), same_numbers("3 pens", "some pens")
    (1.0, -1.0)
    """
    before, after = ({number.value for number in find_numbers(text)} for text in (original, paraphrase))
    return 1.0 if before == after else -1.0


def same_numbers_and_units(original: str, paraphrase: str) -> float:
    """Return 1 if both texts contain the same numbers and the same units, each equally often, else -1.

    >>> same_numbers_and_units("3 km", "3 kilometres"), same_numbers_and_units("3 km and 3 m", "3 km")
    (1.0, -1.0)
    """
    before, after = (
        (Counter(number.value for number in find_numbers(text)), Counter(mention.unit for mention in find_units(text)))
        for text in (original, paraphrase)
    )
    return 1.0 if before == after else -1.0


def no_finding(original: str, paraphrase: str) -> float:
    """Return 1 if there is no serious finding, else -1."""
    return -1.0 if any(finding.is_serious for finding in find_changes(original, paraphrase)) else 1.0


def edit_similarity(original: str, paraphrase: str) -> float:
    """Return 1 for equal texts, down to -1 if no character is kept: twice the Levenshtein similarity, minus 1.

    >>> edit_similarity("abcd", "abcx")
    0.5
    """
    return 2 * Levenshtein.normalized_similarity(original.lower(), paraphrase.lower()) - 1


def rule_first(rule: float, cosine: float) -> float:
    """Combine a rule with a cosine: pairs accepted by the rule rank above the rest; the cosine orders each part.

    >>> rule_first(1, -0.2) > rule_first(-1, 0.9)
    True
    """
    return (rule + cosine) / 2


RULES: dict[str, Callable[[str, str], float]] = {
    "same_numbers": same_numbers,
    "same_numbers_and_units": same_numbers_and_units,
    "no_finding": no_finding,
    "edit_similarity": edit_similarity,
}
"""Maps a name to a function from (original, paraphrase) to a score in [-1, 1]."""
