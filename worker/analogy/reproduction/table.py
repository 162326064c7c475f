"""From finished runs to Learning by Analogy's tables, without a generator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.analogy.measures import pearson
from worker.analogy.reproduction.arms import ARMS, SETS
from worker.bootstrap import mean_interval, paired_difference
from worker.reproduction.problem_sets import part_names, scope_note
from worker.reproduction.runs import FinishedRun, finished_runs

__all__ = ["analogy_tables"]

_NOT_RUN = "not run"
_REFERENCE = "frozen"
_COLUMNS = {
    "same_graph": "same graph",
    "same_equation": "same equation",
    "ndcg": "nDCG",
    "apply_nearest": "apply, nearest",
    "apply_vote": "apply, vote",
}
_SHARES = ("share-5", "share-10", "share-25", "share-50", "paper")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Pooled:
    """What an arm reached on a set: all folds and seeds that were run, a row a question.

    Attributes:
        questions: a number for each.
        columns: by name.
        correlation: of both similarities.
        folds, seeds: that were run.
    """

    questions: npt.NDArray[np.int64]
    columns: Mapping[str, Floats]
    correlation: float
    folds: tuple[int, ...]
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Runs:
    """The folder of the runs."""

    output: Path

    def finished(self, name: str, arm: str) -> list[FinishedRun]:
        """Return the finished runs of an arm that was trained on a set."""
        return finished_runs(self.output, part_names(name, SETS), arm)

    def pooled(self, name: str, arm: str, twins: str, measured: str = "") -> _Pooled | None:
        """Return what an arm that was trained on a set reached there, or on another that was measured."""
        runs = [
            (run, part)
            for run in self.finished(name, arm)
            for part in run.figures()
            if (part.partition("/")[0] == measured if measured else part == run.part)
        ]
        if not runs:
            return None
        arrays: dict[str, list[npt.NDArray[Any]]] = {}
        for run, part in runs:
            outcomes = run.outcomes()
            for key in (*_COLUMNS, "similarity", "graph_similarity"):
                arrays.setdefault(key, []).append(outcomes[f"{part}/{twins}/{key}"])
            arrays.setdefault("question", []).append(outcomes[f"{part}/question"])
        whole = {key: np.concatenate(parts) for key, parts in arrays.items()}
        present = np.isfinite(whole["similarity"])
        return _Pooled(
            questions=whole["question"],
            columns={key: whole[key] for key in _COLUMNS},
            correlation=pearson(whole["similarity"][present], whole["graph_similarity"][present]),
            folds=tuple(sorted({run.fold for run, _part in runs})),
            seeds=tuple(sorted({run.seed for run, _part in runs})),
        )


def analogy_tables(output: Path) -> str:
    """Return markdown of everything that was run into a folder so far; the rest says "not run"."""
    runs = _Runs(output)
    parts = [_data_table(runs)]
    for name, problem_set in SETS.items():
        parts += [
            _set_table(runs, name, twins, heading)
            for twins, heading in (
                ("with_twins", f"### {problem_set.title}"),
                ("without_twins", f"### {problem_set.title}, without exemplars that differ in numbers alone"),
            )
        ]
    parts += [_transfer_table(runs), _share_table(runs), _GENERATORS]
    return "\n\n".join(part for part in parts if part) + "\n"


_GENERATORS = """### Tables 2, 4 and 5 with a generator

| | exact match |
|---|---|
| any way of finding exemplars, with a language model that answers | not run: no model is configured |
| Table 5, pairs rewritten by a language model | not run: no model is configured |"""


def _data_table(runs: _Runs) -> str:
    """Return Table 1, as far as graphs go; counted by the first run of each set."""
    lines = [
        "### Table 1: problems with a graph",
        "",
        "| | questions | of them without a graph, left out | with a copy but for numbers | exemplars |"
        " without a graph, left out | with a positive |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, problem_set in SETS.items():
        counts: dict[str, dict[str, Any]] = {}
        for arm in ARMS:
            for run in runs.finished(name, arm):
                counts.setdefault(run.part, run.figures()[run.part])
        if not counts:
            lines.append(f"| {problem_set.title} | {_NOT_RUN} | | | | | |")
            continue
        asked = sum(part["questions"] for part in counts.values())
        copies = sum(part["questions"] * part["questions_with_twin"] for part in counts.values()) / asked
        means = [
            round(np.mean([part[key] for part in counts.values()]))
            for key in ("corpus", "corpus_without_graph", "corpus_with_positive")
        ]
        without = sum(part["questions_without_graph"] for part in counts.values())
        cells = [f"{asked:,}", f"{without:,}", f"{100 * copies:.0f} %", *(f"{mean:,}" for mean in means)]
        lines.append(f"| {problem_set.title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _set_table(runs: _Runs, name: str, twins: str, heading: str) -> str:
    """Return Tables 2 and 3 on one set; nothing where no arm was run."""
    pooled = {arm: runs.pooled(name, arm, twins) for arm in ARMS}
    if not any(pooled.values()):
        return ""
    titles = list(_COLUMNS.values())
    lines = [
        heading,
        "",
        f"| | {' | '.join(titles)} | Pearson | same graph, less the frozen encoder's |",
        f"|---|{'---|' * (len(titles) + 2)}",
    ]
    for arm, reached in pooled.items():
        cells = [_NOT_RUN] + [""] * (len(titles) + 1)
        if reached is not None:
            cells = [_cell(reached, column) for column in _COLUMNS]
            cells += [
                f"{reached.correlation:.2f}",
                _gain(reached, pooled[_REFERENCE] if arm != _REFERENCE else None),
            ]
            cells[0] += scope_note(SETS[name], reached.folds, reached.seeds)
        lines.append(f"| {ARMS[arm].title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(pooled: _Pooled, column: str) -> str:
    mean, low, high = mean_interval(
        pooled.questions.tolist(), pooled.columns[column].tolist(), np.random.default_rng(0)
    )
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]"


def _gain(pooled: _Pooled, reference: _Pooled | None) -> str:
    """Return the share of the same graph, less the reference's, on the questions that both were asked."""
    if reference is None:
        return "-"
    first, second = _means(pooled), _means(reference)
    common = sorted(first.keys() & second.keys())
    if not common:
        return "-"
    drawn = _difference(
        np.array(common),
        np.array([first[number] for number in common]),
        np.array([second[number] for number in common]),
    )
    return f"{drawn['difference']:+.3f} [{drawn['low']:+.3f}, {drawn['high']:+.3f}]"


def _means(pooled: _Pooled) -> dict[int, float]:
    """Return the share with the same graph by question, over seeds."""
    questions, places = np.unique(pooled.questions, return_inverse=True)
    means = np.bincount(places, pooled.columns["same_graph"]) / np.bincount(places)
    return dict(zip(questions.tolist(), means.tolist(), strict=True))


def _difference(questions: npt.NDArray[np.int64], values: Floats, reference: Floats) -> dict[str, float]:
    columns = [values.tolist(), reference.tolist()]
    return paired_difference(questions.tolist(), columns, "mean", np.random.default_rng(0))


def _transfer_table(runs: _Runs) -> str:
    """Return figures for training on one set and measuring on another: the share of exemplars with the same graph."""
    lines = []
    for arm, arm_row in ARMS.items():
        for learned in SETS:
            for measured in SETS:
                if arm_row.settings is None or learned == measured:
                    continue
                reached = runs.pooled(learned, arm, "with_twins", measured)
                if reached is None:
                    continue
                frozen = runs.pooled(measured, _REFERENCE, "with_twins")
                lines.append(
                    f"| {arm_row.title} | {SETS[learned].title} | {SETS[measured].title}"
                    f" | {_cell(reached, 'same_graph')} | {_gain(reached, frozen)} |"
                )
    head = [
        "### Trained on one set, measured on another: same graph",
        "",
        "| | trained on | measured on | same graph | less the frozen encoder's |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*head, *(lines or [f"| {_NOT_RUN} | | | | |"])])


def _share_table(runs: _Runs) -> str:
    """Return Figure 5: same graph by share of the training data."""
    lines = [
        "### Figure 5: same graph by share of the training data",
        "",
        "| | 5 % | 10 % | 25 % | 50 % | 100 % |",
        "|---|---|---|---|---|---|",
    ]
    for name, problem_set in SETS.items():
        pooled = [runs.pooled(name, arm, "with_twins") for arm in _SHARES]
        cells = [
            _NOT_RUN
            if reached is None
            else f"{reached.columns['same_graph'].mean():.3f}{scope_note(problem_set, reached.folds, reached.seeds)}"
            for reached in pooled
        ]
        lines.append(f"| {problem_set.title} | {' | '.join(cells)} |")
    return "\n".join(lines)
