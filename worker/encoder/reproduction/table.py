"""The arms of QuesCo's tables, and rendering finished runs as the tables of docs/results/."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.metrics import pearson
from worker.bootstrap import paired_interval
from worker.encoder.reproduction.data import SOURCES
from worker.reproduction import arms
from worker.reproduction.runs import Runs, runs_by_arm
from worker.reproduction.tables import difference_cell, markdown_table, range_of, spread_cell


@dataclass(frozen=True, slots=True)
class Arm(arms.Arm):
    """One row of a table.

    Attributes:
        vectors: ``encoder``, or ``tfidf`` for TF-IDF vectors.
    """

    vectors: str = "encoder"


ARMS = arms.read_arms(Path(__file__).parent, Arm)
"""The choices of `reproduce encoder --arms`."""


_REFERENCES = ("quesco", "quesco-close", "joint", "joint-layer")
"""Arms that the others are compared with: the first one, and the last one that was run."""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a table: how to read it from a set's figures, and how to compute it for one resample."""

    title: str
    read: Callable[[Mapping[str, Any]], float | None]
    outcomes: tuple[str, ...]
    statistic: Callable[..., float]
    lower_is_better: bool = False


def _mean(values: Array) -> float:
    return float(np.nanmean(values))


def _root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.nanmean(values**2)))


def _columns(levels: int) -> list[_Column]:
    columns: list[_Column] = []
    for level in range(1, levels + 1):
        for key, short in (("accuracy", "acc"), ("macro_f1", "F1"), ("precision_at_10", "p@10")):
            outcome = {"accuracy": f"accuracy_{level}", "precision_at_10": f"precision_{level}"}.get(key, "")
            columns.append(
                _Column(
                    f"L{level} {short}",
                    lambda figures, level=level, key=key: figures["levels"].get(str(level), {}).get(key),  # type: ignore[misc]
                    (outcome,) if outcome else (),
                    _mean,
                )
            )
    columns += [
        _Column("MAE", _of_difficulty("mae"), ("difficulty_error",), _mean, lower_is_better=True),
        _Column("RMSE", _of_difficulty("rmse"), ("difficulty_error",), _root_mean_square, lower_is_better=True),
        _Column("Pearson", _of_difficulty("pearson"), ("difficulty", "difficulty_truth"), _pearson),
        _Column("DOA", _of_difficulty("doa"), (), _mean),
        _Column("distance ρ", lambda figures: figures.get("distance", {}).get("spearman"), (), _mean),
    ]
    return columns


def _of_difficulty(key: str) -> Callable[[Mapping[str, Any]], float | None]:
    return lambda figures: figures.get("difficulty", {}).get(key)


def _pearson(predicted: Array, truth: Array) -> float:
    is_labelled = ~np.isnan(truth)
    return pearson(truth[is_labelled], predicted[is_labelled])


def encoder_tables(folders: Sequence[Path]) -> str:
    """Return Markdown: a table of arms per set, and the differences of QuesCo, and of our arm, from each.

    Args:
        folders: folders of finished runs, as `reproduce_encoder` returns them.
    """
    runs = runs_by_arm(folders)
    measured = [
        name for name in SOURCES if any(name in run[0]["sets"] for arm_runs in runs.values() for run in arm_runs)
    ]
    parts = [_settings_line(runs)]
    parts += [_table_of_set(name, runs) for name in measured]
    return "\n\n".join(parts) + "\n"


def _settings_line(runs: Runs) -> str:
    trained = [run[0] for arm_runs in runs.values() for run in arm_runs if run[0]["training"]]
    machines = sorted({run[0]["machine"] for arm_runs in runs.values() for run in arm_runs})
    lines = [f"Machine: {'; '.join(machines)}."]
    if trained:
        first = trained[0]
        config = first["settings"]["config"]
        questions = sorted({figures["training"]["questions"] for figures in trained})
        leaked = sorted({figures["training"]["left_out_as_another_set_tests_with_them"] for figures in trained})
        lines.append(
            f"Trained on {', '.join(SOURCES[name].title for name in first['settings']['trained_on'])}"
            f" ({range_of(questions)} questions; {range_of(leaked)} left out because another set tests with them):"
            f" {first['training']['steps']} steps of {config['batch_size']}, at most {config['max_tokens']} tokens,"
            f" learning rate {config['learning_rate']:g}, momentum {config['momentum']:g}."
        )
    return " ".join(lines)


def _table_of_set(name: str, runs: Runs) -> str:
    having = {arm: [run for run in arm_runs if name in run[0]["sets"]] for arm, arm_runs in runs.items()}
    having = {arm: arm_runs for arm, arm_runs in having.items() if arm_runs}
    figures = next(iter(having.values()))[0][0]["sets"][name]
    columns = [
        column
        for column in _columns(SOURCES[name].levels)
        if any(column.read(run[0]["sets"][name]) is not None for arm_runs in having.values() for run in arm_runs)
    ]
    rows = [
        [
            ARMS[arm].title,
            str(len(having[arm])),
            *(spread_cell([column.read(run[0]["sets"][name]) for run in having[arm]]) for column in columns),
        ]
        for arm in ARMS
        if arm in having
    ]
    parts = [
        f"**{SOURCES[name].title}** ({figures['questions']:,} questions, {figures['test']:,} of them tested;"
        f" {figures['exact_duplicates_removed']:,} exact duplicates removed){_difficulty_note(figures)}",
        markdown_table(["arm", "seeds", *(column.title for column in columns)], rows),
    ]
    present = [reference for reference in _REFERENCES if reference in having]
    extremes = dict.fromkeys([*present[:1], *present[-1:]])
    parts += [_differences(name, reference, having, columns) for reference in extremes]
    return "\n\n".join(parts)


def _difficulty_note(figures: Mapping[str, Any]) -> str:
    difficulty = figures.get("difficulty")
    if not difficulty:
        return ""
    return (
        f". Without any text: constant median MAE {difficulty['median_mae']:.3f}; mean of the true concept"
        f" MAE {difficulty['true_concept_mae']:.3f}, Pearson {difficulty['true_concept_pearson']:.3f}"
    )


def _differences(name: str, reference: str, having: Runs, columns: Sequence[_Column]) -> str:
    paired = [column for column in columns if column.outcomes]
    rows = [
        [ARMS[arm].title, *(_difference(name, having[reference], having[arm], column) for column in paired)]
        for arm in ARMS
        if arm in having and arm != reference
    ]
    return (
        f"{SOURCES[name].title}: *{ARMS[reference].title}* less the arm, 95 % paired bootstrap over the test questions;"
        " bold: better beyond the interval, italics: worse.\n\n"
        + markdown_table(["arm", *(column.title for column in paired)], rows)
    )


def _difference(
    name: str,
    reference: Sequence[tuple[dict[str, Any], Any]],
    rival: Sequence[tuple[dict[str, Any], Any]],
    column: _Column,
) -> str:
    by_seed = {run[0]["settings"]["seed"]: run[1] for run in reference}
    keys = [f"{name}/{key}" for key in column.outcomes]
    reference_arrays: list[list[Array]] = [[] for _key in keys]
    rival_arrays: list[list[Array]] = [[] for _key in keys]
    questions: list[npt.NDArray[np.int64]] = []
    for figures, arrays in rival:
        partner = by_seed.get(figures["settings"]["seed"])
        if partner is None or any(key not in both for both in (partner, arrays) for key in keys):
            continue
        shared, left, right = np.intersect1d(
            partner[f"{name}/question"], arrays[f"{name}/question"], return_indices=True
        )
        questions.append(shared)
        for place, key in enumerate(keys):
            reference_arrays[place].append(partner[key][left])
            rival_arrays[place].append(arrays[key][right])
    if not reference_arrays[0]:
        return "-"
    value, low, high = paired_interval(
        column.statistic,
        [np.concatenate(part) for part in reference_arrays],
        [np.concatenate(part) for part in rival_arrays],
        questions=np.concatenate(questions),
    )
    return difference_cell(value, low, high, lower_is_better=column.lower_is_better)
