"""From finished runs to Learning by Analogy's tables."""

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
from worker.reproduction.arms import read_published
from worker.reproduction.problem_sets import ProblemSet, part_names, scope_note
from worker.reproduction.runs import FinishedRun, finished_runs
from worker.reproduction.tables import NOT_RUN, markdown_table, titled_table

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
class _Answered:
    """What a language model reached with an arm's exemplars: the questions that it was asked, of all folds and seeds.

    Attributes:
        questions: a number for each.
        exact_matches: 1 where it was right.
        models: names of the language models.
        folds, seeds: that were run.
    """

    questions: npt.NDArray[np.int64]
    exact_matches: Floats
    models: tuple[str, ...]
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
        runs = self._measured(name, arm, measured)
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

    def answered(self, name: str, arm: str, measured: str = "") -> _Answered | None:
        """Return what a language model reached with the exemplars of an arm, copies but for numbers among them."""
        runs = [
            (run, part)
            for run, part in self._measured(name, arm, measured)
            if "generator" in run.figures()[part]
        ]
        if not runs:
            return None
        questions, matches = [], []
        for run, part in runs:
            outcomes = run.outcomes()
            column = outcomes[f"{part}/with_twins/exact_match"]
            asked = np.isfinite(column)
            questions.append(outcomes[f"{part}/question"][asked])
            matches.append(column[asked])
        return _Answered(
            questions=np.concatenate(questions),
            exact_matches=np.concatenate(matches),
            models=tuple(sorted({run.figures()[part]["generator"] for run, part in runs})),
            folds=tuple(sorted({run.fold for run, _part in runs})),
            seeds=tuple(sorted({run.seed for run, _part in runs})),
        )

    def _measured(self, name: str, arm: str, measured: str) -> list[tuple[FinishedRun, str]]:
        """Return the runs of an arm that was trained on a set, each with the parts where it was measured."""
        return [
            (run, part)
            for run in self.finished(name, arm)
            for part in run.figures()
            if (part.partition("/")[0] == measured if measured else part == run.part)
        ]


def analogy_tables(output: Path) -> str:
    """Return markdown of everything that was run into a folder so far; the rest says "not run"."""
    runs = _Runs(output)
    parts = [_data_table(runs)]
    for name, problem_set in SETS.items():
        parts += [
            _set_table(runs, name, twins, heading)
            for twins, heading in (
                ("with_twins", f"{problem_set.title}"),
                ("without_twins", f"{problem_set.title}, without exemplars that differ in numbers alone"),
            )
        ]
    parts += [_transfer_table(runs), _share_table(runs), _generator_table(runs)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _generator_table(runs: _Runs) -> str:
    """Return Tables 2, 3 and 5: exact match of the language model that answered, and the published figures."""
    answered = {
        (arm, learned, measured): runs.answered(learned, arm, "" if measured == learned else measured)
        for arm in ARMS
        for learned in SETS
        for measured in SETS
    }
    published = read_published(Path(__file__).parent)  # exact match in %
    sets = [
        name
        for name in SETS
        if name in published["sets"] or any(answered[arm, learned, name] for arm in ARMS for learned in SETS)
    ]
    rows = []
    for arm, row in ARMS.items():
        for learned in SETS:
            reached = [answered[arm, learned, measured] for measured in sets]
            if any(reached):
                cells = [_exact_match(part, SETS[name]) for part, name in zip(reached, sets, strict=True)]
                trained = f", {SETS[learned].title}" if row.settings is not None else ""
                rows.append([f"ours: {row.title}{trained}", *cells])
    if not rows:
        rows.append(["ours", *[f"{NOT_RUN}: no language model was asked"] * len(sets)])
    for title, figures in published["rows"].items():
        by_set = dict(zip(published["sets"], figures, strict=True))
        rows.append([f"published, {title}", *(by_set.get(name, "-") for name in sets)])
    return (
        "### Tables 2 to 5 with a generator: exact match in %\n\n"
        "Retrieve-and-apply above is another measure. The published figures are of exemplars found at random / by"
        " meaning (BGE) / by the trained retriever; of MathQA they are of the original set. Their generators are"
        " Qwen2.5 for Chinese sets and LLaMA-3 for English ones, at 0.5B Qwen2.5 for all.\n\n"
        + markdown_table(["", *(SETS[name].title for name in sets)], rows)
    )


def _exact_match(answered: _Answered | None, problem_set: ProblemSet) -> str:
    if answered is None:
        return NOT_RUN
    mean, low, high = mean_interval(
        answered.questions.tolist(), answered.exact_matches.tolist(), np.random.default_rng(0)
    )
    return (
        f"{100 * mean:.1f} [{100 * low:.1f}, {100 * high:.1f}] ({', '.join(answered.models)},"
        f" {len(answered.questions):,} questions){scope_note(problem_set, answered.folds, answered.seeds)}"
    )


def _data_table(runs: _Runs) -> str:
    """Return Table 1, as far as graphs go; counted by the first run of each set."""
    rows = []
    for name, problem_set in SETS.items():
        counts: dict[str, dict[str, Any]] = {}
        for arm in ARMS:
            for run in runs.finished(name, arm):
                counts.setdefault(run.part, run.figures()[run.part])
        if not counts:
            rows.append((problem_set.title, [NOT_RUN]))
            continue
        asked = sum(part["questions"] for part in counts.values())
        copies = sum(part["questions"] * part["questions_with_twin"] for part in counts.values()) / asked
        means = [
            round(np.mean([part[key] for part in counts.values()]))
            for key in ("corpus", "corpus_without_graph", "corpus_with_positive")
        ]
        without = sum(part["questions_without_graph"] for part in counts.values())
        cells = [f"{asked:,}", f"{without:,}", f"{100 * copies:.0f} %", *(f"{mean:,}" for mean in means)]
        rows.append((problem_set.title, cells))
    left_out = "without a graph, left out"
    headings = ["questions", f"of them {left_out}", "with a copy but for numbers", "exemplars", left_out]
    return titled_table("Table 1: problems with a graph", [*headings, "with a positive"], rows)


def _set_table(runs: _Runs, name: str, twins: str, heading: str) -> str:
    """Return Tables 2 and 3 on one set; nothing where no arm was run."""
    pooled = {arm: runs.pooled(name, arm, twins) for arm in ARMS}
    if not any(pooled.values()):
        return ""
    rows = []
    for arm, reached in pooled.items():
        cells = [NOT_RUN]
        if reached is not None:
            cells = [_cell(reached, column) for column in _COLUMNS]
            cells += [
                f"{reached.correlation:.2f}",
                _gain(reached, pooled[_REFERENCE] if arm != _REFERENCE else None),
            ]
            cells[0] += scope_note(SETS[name], reached.folds, reached.seeds)
        rows.append((ARMS[arm].title, cells))
    return titled_table(
        heading, [*_COLUMNS.values(), "Pearson", "same graph, less the frozen encoder's"], rows
    )


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
    rows = []
    for arm, arm_row in ARMS.items():
        for learned in SETS:
            for measured in SETS:
                if arm_row.settings is None or learned == measured:
                    continue
                reached = runs.pooled(learned, arm, "with_twins", measured)
                if reached is None:
                    continue
                frozen = runs.pooled(measured, _REFERENCE, "with_twins")
                cells = [SETS[learned].title, SETS[measured].title, _cell(reached, "same_graph")]
                rows.append((arm_row.title, [*cells, _gain(reached, frozen)]))
    return titled_table(
        "Trained on one set, measured on another: same graph",
        ["trained on", "measured on", "same graph", "less the frozen encoder's"],
        rows or [(NOT_RUN, [])],
    )


def _share_table(runs: _Runs) -> str:
    """Return Figure 5: same graph by share of the training data."""
    rows = []
    for name, problem_set in SETS.items():
        pooled = [runs.pooled(name, arm, "with_twins") for arm in _SHARES]
        cells = [
            NOT_RUN
            if reached is None
            else f"{reached.columns['same_graph'].mean():.3f}{scope_note(problem_set, reached.folds, reached.seeds)}"
            for reached in pooled
        ]
        rows.append((problem_set.title, cells))
    headings = ["5 %", "10 %", "25 %", "50 %", "100 %"]
    return titled_table("Figure 5: same graph by share of the training data", headings, rows)
