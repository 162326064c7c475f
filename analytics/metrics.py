"""Measures of accuracy, agreement, correlation and calibration, and the names of all metrics for people. NumPy only.

QuesCo evaluates concept prediction with accuracy and F1, and difficulty estimation with MAE, RMSE, Pearson
correlation and degree of agreement (its section on evaluation tasks). A metric has one name and one row here,
wherever it is shown: on pages, in comparisons and in the papers' tables; capabilities compute further ones.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analytics.errors import DataError


@dataclass(frozen=True, slots=True)
class MetricName:
    """The name of a metric for people.

    Attributes:
        label: what it measures.
        measured_on: the questions or pairs that it is measured on; empty if its context tells.
        higher_is_better: False for an error.
    """

    label: str
    measured_on: str = ""
    higher_is_better: bool = True

    @property
    def full_label(self) -> str:
        """The label, with what it is measured on."""
        return " on ".join(filter(None, (self.label, self.measured_on)))


HELD_OUT, BANK = "questions held out of its training", "the bank’s held-out questions"
PAIRS, PROBLEMS = "validation pairs of its training", "validation problems of its training"

METRICS: Mapping[str, MetricName] = {
    "loss": MetricName("Loss"),
    "loss_concepts": MetricName("Naming concepts"),
    "loss_difficulty": MetricName("Ordering by difficulty"),
    "loss_last_layer": MetricName("Last layer"),
    "share_of_training": MetricName("Share of the way from the pretrained weights"),
    "loss_rank_0": MetricName("Rank 0, the augmented question"),
    "loss_rank_1": MetricName("Rank 1, the same concept"),
    "held_out_precision_at_10": MetricName("Precision at 10", HELD_OUT),
    "path_accuracy": MetricName("Accuracy of whole paths"),
    "difficulty_mae": MetricName("Error of the difficulty (MAE)", BANK, higher_is_better=False),
    "difficulty_pearson": MetricName("Correlation of the difficulty", BANK),
    "loss_triplet": MetricName("Triplet loss"),
    "loss_ranking": MetricName("Ranking loss"),
    "validation_auc": MetricName("ROC AUC of the score", PAIRS),
    "validation_separation": MetricName("Separation of the score", PAIRS),
    "validation_macro_f1": MetricName("Macro F1 of the score at 0.5", PAIRS),
    "validation_same_graph": MetricName("Share of 8 exemplars with the same computation", PROBLEMS),
    "validation_same_equation": MetricName("Of 8 exemplars, how many have the same equation", PROBLEMS),
    "same_graph": MetricName("Share of 8 exemplars with the same computation"),
    "same_equation": MetricName("Of 8 exemplars, how many have the same equation"),
    "validation_answer_accuracy": MetricName("Accuracy of the answers", PROBLEMS),
    "validation_equation_accuracy": MetricName("Accuracy of the equations", PROBLEMS),
    "calibration_error": MetricName("Expected calibration error"),
    "calibration_error_before": MetricName("Expected calibration error before calibration"),
    "same_graph_at_8": MetricName("Share of 8 exemplars with the same computation", BANK),
    "ndcg_at_8": MetricName("Order of 8 exemplars by likeness of their graphs (nDCG)", BANK),
    "path_gain_low": MetricName("Gain in accuracy over the commonest concept, at least (95 %)"),
    "path_top5_accuracy": MetricName("Accuracy of the first five paths"),
    "path_majority_accuracy": MetricName("Accuracy of always naming the commonest concept"),
    "path_majority_top5_accuracy": MetricName("Accuracy of always naming the five commonest concepts"),
    "majority_accuracy": MetricName("Accuracy of always naming the commonest concept"),
    "macro_f1": MetricName("Macro F1"),
    "mae": MetricName("Mean absolute error"),
    "rmse": MetricName("Root mean square error"),
    "doa": MetricName("Degree of agreement in order (DOA)"),
    "pearson": MetricName("Pearson correlation"),
    "spearman": MetricName("Rank correlation (Spearman)"),
    "coverage": MetricName("Share of difficulties inside the interval"),
    "mean_rmse": MetricName("Root mean square error of always giving the mean"),
    "median_mae": MetricName("Mean absolute error of always giving the median"),
    "interval_width": MetricName("Width of the interval"),
    "middle_coverage": MetricName("Share of difficulties inside the middle half of the interval"),
    "middle_width": MetricName("Width of the middle half of the interval"),
    "neighbours_accuracy": MetricName("Which is harder, of two that are close: right"),
    "apart_accuracy": MetricName("Which is harder, of two that are clearly apart: right"),
    "sure_share": MetricName("Share of pairs stated with more than 80%"),
    "sure_accuracy": MetricName("Of those stated with more than 80%: right"),
    "log_loss": MetricName("Logarithmic loss"),
    "true_concept_mae": MetricName("Mean absolute error, given the true concept"),
    "true_concept_rmse": MetricName("Root mean square error, given the true concept"),
    "true_concept_doa": MetricName("Degree of agreement, given the true concept"),
    "true_concept_pearson": MetricName("Pearson correlation, given the true concept"),
    "expected_calibration_error": MetricName("Expected calibration error"),
    "validation_paper_macro_f1": MetricName("Macro F1 of the score, as the paper averages", PAIRS),
    "task_over_story": MetricName("Same task ranked above the same story", "questions that come with the program"),
}

# The first group is the level or rank.
_NUMBERED: Mapping[str, MetricName] = {
    r"loss_rank_(\d+)": MetricName("Rank %s"),
    r"held_out_precision_at_10_level_(\d+)": MetricName("Precision at 10, level %s", HELD_OUT),
    r"precision_at_10_level_(\d+)": MetricName("Precision at 10, level %s", BANK),
    r"concept_accuracy_level_(\d+)": MetricName("Concept accuracy, level %s", BANK),
}

# Followed by the name of a suite of labelled pairs.
_OF_PAIRS: Mapping[str, str] = {
    "verdict_auc_": "ROC AUC of the verdict",
    "verdict_macro_f1_": "Macro F1 of the verdict at one half",
    "verdict_separation_": "Separation of the verdict",
    "score_auc_": "ROC AUC of the score",
    "score_macro_f1_": "Macro F1 of the score at 0.5",
    "score_separation_": "Separation of the score",
    "validation_auc_val_": "ROC AUC of the score, validation pairs",
}

SUITES: Mapping[str, str] = {
    "made": "operators’ pairs of the bank’s held-out questions",
    "decided": "reviewers’ decisions on the bank’s held-out questions",
    "demo": "the demo’s hand-written pairs",
}
"""Suites of labelled pairs; one that is not here is a file and has its name."""


def named_metric(name: str) -> MetricName:
    """Return the name of a metric for people; without a row, its name in code is made readable.

    >>> named_metric("concept_accuracy_level_2").full_label
    'Concept accuracy, level 2 on the bank’s held-out questions'
    >>> named_metric("gradient_norm").full_label
    'Gradient norm'
    """
    if name in METRICS:
        return METRICS[name]
    for pattern, metric in _NUMBERED.items():
        if match := re.fullmatch(pattern, name):
            return MetricName(metric.label % match[1], metric.measured_on)
    for prefix, label in _OF_PAIRS.items():
        if name.startswith(prefix):
            suite = name.removeprefix(prefix)
            return MetricName(label, SUITES.get(suite, suite))
    return MetricName(name.replace("_", " ").capitalize())


def accuracy(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> float:
    """Return the share of equal entries; 0 if there are no entries."""
    return sum(a == b for a, b in zip(truth, predicted, strict=True)) / len(truth) if truth else 0.0


def macro_f1(truth: Sequence[Hashable], predicted: Sequence[Hashable]) -> float:
    """Return the mean F1 over all classes that occur in the truth or in the predictions.

    >>> round(macro_f1(["a", "a", "b"], ["a", "b", "b"]), 4)
    0.6667
    """
    scores = []
    for label in {*truth, *predicted}:
        hits = sum(a == label and b == label for a, b in zip(truth, predicted, strict=True))
        mentions = sum(a == label for a in truth) + sum(b == label for b in predicted)
        scores.append(2 * hits / mentions)
    return float(np.mean(scores)) if scores else 0.0


def cohen_kappa(first: Sequence[int], second: Sequence[int]) -> float:
    """Return the agreement of two annotators beyond chance; 1 if both always give the same single label.

    >>> round(cohen_kappa([1, 1, 0, 0], [1, 0, 0, 0]), 3)
    0.5

    Raises:
        DataError: lengths differ, or there is nothing to compare.
    """
    if len(first) != len(second) or not first:
        raise DataError("Two annotators must have labelled the same items, and at least one.")
    labels = {*first, *second}
    expected = sum(first.count(label) * second.count(label) for label in labels) / len(first) ** 2
    return 1.0 if expected == 1 else (accuracy(first, second) - expected) / (1 - expected)


def mae(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the mean absolute error."""
    return float(np.mean(np.abs(truth - predicted)))


def rmse(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((truth - predicted) ** 2)))


def pearson(truth: np.ndarray, predicted: np.ndarray, weights: np.ndarray | None = None) -> float:
    """Return the Pearson correlation; 0 if one side is constant.

    Args:
        truth, predicted: (rows,).
        weights: weight of each row; 1 by default.
    """
    count = np.ones(len(truth)) if weights is None else weights
    total = count.sum()
    left, right = truth - (count @ truth) / total, predicted - (count @ predicted) / total
    scale = np.sqrt((count @ left**2) * (count @ right**2))
    return float((count * left) @ right / scale) if scale > 1e-12 else 0.0


def spearman(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the Pearson correlation of the ranks, equal values sharing their mean rank."""
    return pearson(_ranks(truth), _ranks(predicted))


def doa(truth: np.ndarray, predicted: np.ndarray) -> float:
    """Return the degree of agreement: of all pairs with truth_i > truth_j the share with prediction_i > prediction_j.

    Pairs of equal truth are left out; equal predictions count as wrong. 0 if there is no such pair.

    >>> doa(np.array([1, 2, 2, 3]), np.array([0.1, 0.3, 0.1, 0.2]))
    0.6
    """
    truth, predicted = np.asarray(truth, dtype=float), np.asarray(predicted, dtype=float)
    agreeing = pairs = 0
    easier = np.zeros(0)
    for value in np.unique(truth):
        harder = predicted[truth == value]
        pairs += len(harder) * len(easier)
        agreeing += int(np.searchsorted(easier, harder, side="left").sum())
        easier = np.sort(np.concatenate((easier, harder)))
    return agreeing / pairs if pairs else 0.0


def interval_coverage(truth: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Return the share of true values that lie in their interval, ends included."""
    return float(np.mean((truth >= low) & (truth <= high)))


def mean_interval_width(low: np.ndarray, high: np.ndarray) -> float:
    """Return the mean length of the intervals."""
    return float(np.mean(high - low))


def expected_calibration_error(
    confidence: np.ndarray, correct: np.ndarray, bins: int = 15, weights: np.ndarray | None = None
) -> float:
    """Return the mean gap between confidence and accuracy over bins of equal width, weighted by bin size.

    With `weights`, each row counts with its weight.

    Guo et al., "On Calibration of Modern Neural Networks" (2017), Eq. 3.

    >>> round(expected_calibration_error(np.array([0.85, 0.85, 0.25]), np.array([True, False, False]), bins=10), 4)
    0.3167
    """
    if not len(confidence):
        return 0.0
    places = np.minimum((confidence * bins).astype(int), bins - 1)
    shares = np.ones(len(confidence)) if weights is None else weights
    gap = np.abs(
        np.bincount(places, weights=shares * confidence, minlength=bins)
        - np.bincount(places, weights=shares * correct.astype(float), minlength=bins)
    )
    return float(gap.sum() / shares.sum())


def _ranks(values: np.ndarray) -> np.ndarray:
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[places]


def rounded(figures: Any) -> Any:
    """Return arbitrarily nested figures rounded to four places, for a manifest or a report."""
    if isinstance(figures, list):
        return [rounded(figure) for figure in figures]
    if isinstance(figures, dict):
        return {name: rounded(value) for name, value in figures.items()}
    return round(figures, 4) if isinstance(figures, float) else figures
