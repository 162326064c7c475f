"""The names of metrics for people, wherever one is shown: on pages, in comparisons and in the papers' tables.

A metric has one name and one row here; `analytics.metrics` and the capabilities compute it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


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
