"""Which charts show the figures of a training run, and what their series are called."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from questionbank.capabilities.catalog import training_of
from questionbank.charts import LineChart, line_chart
from questionbank.models import Run
from questionbank.templatetags.pages import readable, suite_name

Series = Mapping[str, Sequence[tuple[int, float]]]

NOT_DRAWN = ("epoch",)
BETWEEN_0_AND_1 = ("held-out", "validation")  # groups whose figures are shares
# Drawn together for two models.
COMPARED = ("loss", "held_out_precision_at_10", "validation_auc", "validation_same_graph")


def training_charts(series: Series) -> list[tuple[str, LineChart]]:
    """Return charts with their elements' ids: the loss, its terms, the loss by rank, what was held out or validated.

    Whatever else a run measured gets a chart of its own.
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
                ((_label(name), series[name]) for name in names),
                is_share=group in BETWEEN_0_AND_1,
            ),
        )
        for group, names in groups.items()
        if names
    ]


def loss_note(run: Run) -> str:
    """Return what has to be said at the curve of a training's loss; empty where nothing has."""
    training = training_of(run.capability) if run.kind == Run.Kind.TRAIN else None
    return training.loss_note(run.parameters.get("set", {})) if training else ""


def compared_charts(
    candidate: Series, champion: Series, *, names: tuple[str, str]
) -> list[tuple[str, LineChart]]:
    """Return the loss and the main figure of two trainings, each pair over common axes.

    Args:
        candidate: figures of the run that trained it; empty where there was none.
        champion: likewise.
        names: what both are called in the legend.
    """
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
    """Return what a training was validated with: pairs of texts, or problems."""
    suites = {_label_and_suite(name)[1] for name in names if name.startswith("validation_")}
    pairs, problems = _validation_suites()
    if pairs in suites:
        return "Validation pairs"
    return "Validation problems" if problems in suites else "Validation"


def _validation_suites() -> tuple[str, str]:
    return "validation pairs of its training", "validation problems of its training"


def metric_name(name: str) -> str:
    """Return a figure of a run or a comparison as people call it, with the questions that it was measured on."""
    return ", ".join(part for part in _label_and_suite(name) if part)


def _label(name: str) -> str:
    """Return a figure's name where a title says already on which questions it was measured."""
    return _label_and_suite(name)[0]


def _label_and_suite(name: str) -> tuple[str, str]:
    held_out, bank = "questions held out of its training", "the bank’s held-out questions"
    pairs, problems = _validation_suites()
    labels = {
        "loss": ("Loss", ""),
        "loss_concepts": ("Naming concepts", ""),
        "loss_difficulty": ("Ordering by difficulty", ""),
        "loss_last_layer": ("Last layer", ""),
        "share_of_training": ("Share of the way from the pretrained weights", ""),
        "loss_rank_0": ("Rank 0, the augmented question", ""),
        "loss_rank_1": ("Rank 1, the same concept", ""),
        "held_out_precision_at_10": ("Precision at 10", held_out),
        "path_accuracy": ("Accuracy of whole paths", ""),
        "difficulty_mae": ("Error of the difficulty (MAE)", bank),
        "difficulty_pearson": ("Correlation of the difficulty", bank),
        "loss_triplet": ("Triplet loss", ""),
        "loss_ranking": ("Ranking loss", ""),
        "validation_auc": ("ROC AUC of the score", pairs),
        "validation_separation": ("Separation of the score", pairs),
        "validation_macro_f1": ("Macro F1 of the score at 0.5", pairs),
        "validation_same_graph": ("Share of 8 exemplars with the same computation", problems),
        "validation_same_equation": ("Of 8 exemplars, how many have the same equation", problems),
        "same_graph": ("Share of 8 exemplars with the same computation", ""),
        "same_equation": ("Of 8 exemplars, how many have the same equation", ""),
        "validation_answer_accuracy": ("Accuracy of the answers", problems),
        "validation_equation_accuracy": ("Accuracy of the equations", problems),
        "calibration_error": ("Expected calibration error", ""),
        "calibration_error_before": ("Expected calibration error before calibration", ""),
        "same_graph_at_8": ("Share of 8 exemplars with the same computation", bank),
        "ndcg_at_8": ("Order of 8 exemplars by likeness of their graphs (nDCG)", bank),
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
        "true_concept_mae": ("Mean absolute error, given the true concept", ""),
        "true_concept_rmse": ("Root mean square error, given the true concept", ""),
        "true_concept_doa": ("Degree of agreement, given the true concept", ""),
        "true_concept_pearson": ("Pearson correlation, given the true concept", ""),
        "expected_calibration_error": ("Expected calibration error", ""),
        "validation_paper_macro_f1": ("Macro F1 of the score, as the paper averages", pairs),
    }
    if name in labels:
        return labels[name]
    for pattern, label, suite in (
        (r"loss_rank_(\d+)", "Rank %s", ""),
        (r"held_out_precision_at_10_level_(\d+)", "Precision at 10, level %s", held_out),
        (r"precision_at_10_level_(\d+)", "Precision at 10, level %s", bank),
        (r"concept_accuracy_level_(\d+)", "Concept accuracy, level %s", bank),
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
    """Sort numbers in names as numbers."""
    return [
        (1, int(part), "") if part.isdigit() else (0, 0, part) for part in re.split(r"(\d+)", name) if part
    ]


def _chart(
    title: str,
    value: str,
    series: Iterable[tuple[str, Sequence[tuple[int, float]]]],
    *,
    is_share: bool = False,
) -> LineChart:
    within = (0.0, 1.0) if is_share else (-math.inf, math.inf)
    return line_chart(series, title=title, x_label="Step", y_label=value, within=within)
