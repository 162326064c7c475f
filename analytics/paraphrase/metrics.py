"""Metrics for how well scores separate valid paraphrases from invalid ones, and rules that a scorer has to beat.

ParaQD (Gupta et al., DASFAA 2022), sections 4.4 and 5: precision, recall and F1 at 0.5, macro and weighted,
and the separation, which is the mean score of valid pairs minus the mean score of invalid ones. The paper's
F1 is the harmonic mean of the *averaged* precision and recall; scikit-learn's is the average of the classes'
F1. Both are given. The ROC AUC needs no threshold. They are computed by scikit-learn, so not in the web
process.

A rule is untrained and returns +1 (valid) or -1; the edit similarity is a number in between. On ParaQD's own test
sets the rule "same set of numbers" already exceeds the published separation, so a scorer is only useful if it beats
the rule, and the rule combined with a frozen encoder's cosine (`rule_first`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support, roc_auc_score

from analytics.errors import DataError
from analytics.metrics import accuracy
from analytics.paraphrase.findings.rules import find_changes
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

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
