"""The figures of a model or job, as charts and as table rows with readable labels."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analytics.metrics import PAIRS, PROBLEMS, named_metric
from questionbank.core.capability_catalog import training_of
from questionbank.core.charts import LineChart, line_chart
from questionbank.core.wording import readable
from questionbank.models import Run
from questionbank.registry.model_selectors import GateOutcome

Series = Mapping[str, Sequence[tuple[int, float]]]

NOT_DRAWN = ("epoch",)
BETWEEN_0_AND_1 = ("held-out", "validation")  # groups with figures between 0 and 1
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
            groups[name], titles[name] = [name], named_metric(name).full_label
    return [
        (
            f"chart-{re.sub(r'[^a-z0-9]+', '-', group.lower())}",
            _chart(
                titles[group],
                values.get(group, titles[group]),
                ((named_metric(name).label, series[name]) for name in names),
                is_share=group in BETWEEN_0_AND_1,
            ),
        )
        for group, names in groups.items()
        if names
    ]


def loss_note(run: Run) -> str:
    """Return the note for a training run's loss curve; empty if there is none."""
    training = training_of(run.capability) if run.kind == Run.Kind.TRAIN else None
    return training.loss_note(run.parameters.get("set", {})) if training else ""


def compared_charts(candidate: Series, champion: Series, *, names: tuple[str, str]) -> list[tuple[str, LineChart]]:
    """Return charts of the loss and the main figure of two training runs, each with both curves on common axes."""
    return [
        (
            f"chart-{name.replace('_', '-')}",
            _chart(
                named_metric(name).full_label,
                named_metric(name).full_label,
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
    """Return the chart title for what a training run was validated on: pairs of texts, or problems."""
    suites = {named_metric(name).measured_on for name in names if name.startswith("validation_")}
    if PAIRS in suites:
        return "Validation pairs"
    return "Validation problems" if PROBLEMS in suites else "Validation"


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
            rows.append((named_metric(name).full_label, value))
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
