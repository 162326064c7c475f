"""The figures of a model or job, as charts and as table rows with readable labels."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from questionbank.capabilities.catalog import training_of
from questionbank.core.charts import LineChart, line_chart
from questionbank.models import Run
from questionbank.registry.model_selectors import GateOutcome
from questionbank.templatetags.pages import readable, suite_name

Series = Mapping[str, Sequence[tuple[int, float]]]

NOT_DRAWN = ("epoch",)
BETWEEN_0_AND_1 = ("held-out", "validation")  # groups with figures between 0 and 1
_HELD_OUT, _BANK = "questions held out of its training", "the bank’s held-out questions"
_PAIRS, _PROBLEMS = "validation pairs of its training", "validation problems of its training"
_LABELS = {  # label of each figure, and the questions that it was measured on; a literal table
    "loss": ("Loss", ""),
    "loss_concepts": ("Naming concepts", ""),
    "loss_difficulty": ("Ordering by difficulty", ""),
    "loss_last_layer": ("Last layer", ""),
    "share_of_training": ("Share of the way from the pretrained weights", ""),
    "loss_rank_0": ("Rank 0, the augmented question", ""),
    "loss_rank_1": ("Rank 1, the same concept", ""),
    "held_out_precision_at_10": ("Precision at 10", _HELD_OUT),
    "path_accuracy": ("Accuracy of whole paths", ""),
    "difficulty_mae": ("Error of the difficulty (MAE)", _BANK),
    "difficulty_pearson": ("Correlation of the difficulty", _BANK),
    "loss_triplet": ("Triplet loss", ""),
    "loss_ranking": ("Ranking loss", ""),
    "validation_auc": ("ROC AUC of the score", _PAIRS),
    "validation_separation": ("Separation of the score", _PAIRS),
    "validation_macro_f1": ("Macro F1 of the score at 0.5", _PAIRS),
    "validation_same_graph": ("Share of 8 exemplars with the same computation", _PROBLEMS),
    "validation_same_equation": ("Of 8 exemplars, how many have the same equation", _PROBLEMS),
    "same_graph": ("Share of 8 exemplars with the same computation", ""),
    "same_equation": ("Of 8 exemplars, how many have the same equation", ""),
    "validation_answer_accuracy": ("Accuracy of the answers", _PROBLEMS),
    "validation_equation_accuracy": ("Accuracy of the equations", _PROBLEMS),
    "calibration_error": ("Expected calibration error", ""),
    "calibration_error_before": ("Expected calibration error before calibration", ""),
    "same_graph_at_8": ("Share of 8 exemplars with the same computation", _BANK),
    "ndcg_at_8": ("Order of 8 exemplars by likeness of their graphs (nDCG)", _BANK),
    "path_gain_low": ("Gain in accuracy over the commonest concept, at least (95 %)", ""),
    "path_top5_accuracy": ("Accuracy of the first five paths", ""),
    "path_majority_accuracy": ("Accuracy of always naming the commonest concept", ""),
    "path_majority_top5_accuracy": ("Accuracy of always naming the five commonest concepts", ""),
    "majority_accuracy": ("Accuracy of always naming the commonest concept", ""),
    "macro_f1": ("Macro F1", ""),
    "mae": ("Mean absolute error", ""),
    "rmse": ("Root mean square error", ""),
    "doa": ("Degree of agreement in order (DOA)", ""),
    "pearson": ("Pearson correlation", ""),
    "spearman": ("Rank correlation (Spearman)", ""),
    "coverage": ("Share of difficulties inside the interval", ""),
    "mean_rmse": ("Root mean square error of always giving the mean", ""),
    "median_mae": ("Mean absolute error of always giving the median", ""),
    "interval_width": ("Width of the interval", ""),
    "middle_coverage": ("Share of difficulties inside the middle half of the interval", ""),
    "middle_width": ("Width of the middle half of the interval", ""),
    "neighbours_accuracy": ("Which is harder, of two that are close: right", ""),
    "apart_accuracy": ("Which is harder, of two that are clearly apart: right", ""),
    "sure_share": ("Share of pairs stated with more than 80%", ""),
    "sure_accuracy": ("Of those stated with more than 80%: right", ""),
    "log_loss": ("Logarithmic loss", ""),
    "true_concept_mae": ("Mean absolute error, given the true concept", ""),
    "true_concept_rmse": ("Root mean square error, given the true concept", ""),
    "true_concept_doa": ("Degree of agreement, given the true concept", ""),
    "true_concept_pearson": ("Pearson correlation, given the true concept", ""),
    "expected_calibration_error": ("Expected calibration error", ""),
    "validation_paper_macro_f1": ("Macro F1 of the score, as the paper averages", _PAIRS),
}
# Drawn in one chart for two models.
COMPARED = ("loss", "held_out_precision_at_10", "validation_auc", "validation_same_graph")


def training_charts(series: Series) -> list[tuple[str, LineChart]]:
    """Return (element id, chart) pairs: the loss, its terms, the loss by rank, held-out and validation figures.

    Every other figure of the run gets its own chart.
    """
    groups: dict[str, list[str]] = {"loss": [], "rank": [], "held-out": [], "validation": []}
    titles = {
        "loss": "Loss",
        "rank": "Loss by rank",
        "held-out": "Questions held out of its training",
        "validation": _validation_title(series),
    }
    values = {"loss": "Loss", "rank": "Loss", "held-out": "Figure", "validation": "Figure"}
    for name in sorted(series, key=_order):
        if name in NOT_DRAWN:
            continue
        if name.startswith("loss_rank_"):
            groups["rank"].append(name)
        elif name == "loss" or name.startswith("loss_"):
            groups["loss"].append(name)
        elif name.startswith("held_out_"):
            groups["held-out"].append(name)
        elif name.startswith("validation_"):
            groups["validation"].append(name)
        else:
            groups[name], titles[name] = [name], metric_name(name)
    return [
        (
            f"chart-{re.sub(r'[^a-z0-9]+', '-', group.lower())}",
            _chart(
                titles[group],
                values.get(group, titles[group]),
                ((_label_and_suite(name)[0], series[name]) for name in names),
                is_share=group in BETWEEN_0_AND_1,
            ),
        )
        for group, names in groups.items()
        if names
    ]


def loss_note(run: Run) -> str:
    """Return the note for a training's loss curve; empty if there is none."""
    training = training_of(run.capability) if run.kind == Run.Kind.TRAIN else None
    return training.loss_note(run.parameters.get("set", {})) if training else ""


def compared_charts(candidate: Series, champion: Series, *, names: tuple[str, str]) -> list[tuple[str, LineChart]]:
    """Return charts of the loss and the main figure of two trainings, each with both curves on common axes."""
    return [
        (
            f"chart-{name.replace('_', '-')}",
            _chart(
                metric_name(name),
                metric_name(name),
                (
                    (label, series[name])
                    for label, series in zip(names, (candidate, champion), strict=True)
                    if name in series
                ),
                is_share=name != "loss",
            ),
        )
        for name in COMPARED
        if name in candidate or name in champion
    ]


def _validation_title(names: Iterable[str]) -> str:
    """Return the chart title for what a training was validated on: pairs of texts, or problems."""
    suites = {_label_and_suite(name)[1] for name in names if name.startswith("validation_")}
    if _PAIRS in suites:
        return "Validation pairs"
    return "Validation problems" if _PROBLEMS in suites else "Validation"


def metric_name(name: str) -> str:
    """Return the readable name of a run's or comparison's figure, with the questions that it was measured on."""
    return ", ".join(part for part in _label_and_suite(name) if part)


def _label_and_suite(name: str) -> tuple[str, str]:
    if name in _LABELS:
        return _LABELS[name]
    for pattern, label, suite in (
        (r"loss_rank_(\d+)", "Rank %s", ""),
        (r"held_out_precision_at_10_level_(\d+)", "Precision at 10, level %s", _HELD_OUT),
        (r"precision_at_10_level_(\d+)", "Precision at 10, level %s", _BANK),
        (r"concept_accuracy_level_(\d+)", "Concept accuracy, level %s", _BANK),
    ):
        if match := re.fullmatch(pattern, name):
            return label % match[1], suite
    for prefix, label in (
        ("verdict_auc_", "ROC AUC of the verdict"),
        ("verdict_macro_f1_", "Macro F1 of the verdict at one half"),
        ("verdict_separation_", "Separation of the verdict"),
        ("score_auc_", "ROC AUC of the score"),
        ("score_macro_f1_", "Macro F1 of the score at 0.5"),
        ("score_separation_", "Separation of the score"),
        ("validation_auc_val_", "ROC AUC of the score, validation pairs"),
    ):
        if name.startswith(prefix):
            return label, suite_name(name.removeprefix(prefix))
    return readable(name), ""


def _order(name: str) -> list[tuple[int, int, str]]:
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", name) if part]


def _chart(
    title: str, value: str, series: Iterable[tuple[str, Sequence[tuple[int, float]]]], *, is_share: bool = False
) -> LineChart:
    within = (0.0, 1.0) if is_share else (-math.inf, math.inf)
    return line_chart(series, title=title, x_label="Step", y_label=value, within=within)


_SUITES = ("held_out", "validation")  # groups whose figures already name the suite
_RESULT_NAMES = {"passes": "Passes the gate", "outcome": "Outcome"}
_OUTCOMES = {
    GateOutcome.BETTER: "better than the model in use",
    GateOutcome.NOT_WORSE: "not worse than the model in use",
    GateOutcome.NOT_BETTER: "not better than the model in use",
    GateOutcome.REFUSED: "refused by the gate",
}
_NOT_SHOWN = ("comparison",)  # a number that no page can open: a button leads to the comparison


def figure_rows(figures: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the figures by readable name; those in a group get the group's name as a prefix.

    >>> figure_rows({"difficulty": {"mae": 0.6}, "validation": {"steps": 5}})
    [('Difficulty: mean absolute error', 0.6), ('Steps', 5)]
    """
    rows: list[tuple[str, Any]] = []
    for name, value in figures.items():
        if not isinstance(value, dict):
            rows.append((metric_name(name), value))
            continue
        prefix = "" if name in _SUITES else f"{name}_"  # group prefix: ``test_same_graph`` of ``test``
        inner = figure_rows({part.removeprefix(prefix): figure for part, figure in value.items() if part != "levels"})
        inner += [
            (f"Level {level}: {_lower(label)}", figure)
            for level, level_figures in value.get("levels", {}).items()
            for label, figure in figure_rows(level_figures)
        ]
        rows += (
            inner if name in _SUITES else [(f"{readable(name)}: {_lower(label)}", figure) for label, figure in inner]
        )
    return rows


def _lower(label: str) -> str:
    """Return a label for use inside a sentence; abbreviations keep their capitals."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def result_tables(result: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Return a job's result as tables: plain values under an empty title, then one table per group."""
    plain = [
        (str(_RESULT_NAMES.get(name, readable(name))), _OUTCOMES.get(value, value) if name == "outcome" else value)
        for name, value in result.items()
        if not isinstance(value, dict) and value != [] and name not in _NOT_SHOWN
    ]
    groups = [
        (readable(name), figure_rows(value)) for name, value in result.items() if isinstance(value, dict) and value
    ]
    return [*([("", plain)] if plain else []), *groups]
