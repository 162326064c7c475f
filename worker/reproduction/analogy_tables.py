"""The arms of Learning by Analogy's tables, and rendering finished runs as the tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from analytics.metrics import pearson
from worker.reproduction.runs import PROBLEM_SETS, Arm, ProblemSet, part_names, read_arms, read_published
from worker.reproduction.tables import (
    NOT_RUN,
    FinishedRun,
    Pooled,
    difference,
    finished_runs,
    markdown_table,
    titled_table,
)

REWRITTEN = "rewritten"
"""The arm trained on pairs of a problem and its rewriting, without any graph (section 4)."""

REWRITTEN_BY_MODEL = "rewritten-model"
"""The same with pairs written by a language model, as in the paper; they are read from a file."""

ARMS = read_arms("analogy", Arm)
"""The choices of `reproduce analogy --arms`."""

SETS: dict[str, ProblemSet] = {
    **PROBLEM_SETS,
    "gsm8k": ProblemSet("GSM8K", "gsm8k"),
    "ape210k": ProblemSet(
        "Ape210K among Math23K",
        "math23k/train.jsonl.gz",
        tested="ape210k/test.jsonl.gz",
        backbone=MULTILINGUAL_BACKBONE,
    ),
    "unbiased_mwp": ProblemSet(
        "UnbiasedMWP among Math23K",
        "math23k/train.jsonl.gz",
        tested="unbiased_mwp/test.jsonl.gz",
        backbone=MULTILINGUAL_BACKBONE,
    ),
}
"""The choices of `reproduce analogy --train-on` and `--measure-on`, as a whole or as one fold: ``asdiv_a/fold-0``."""


_REFERENCE = "frozen"
_COLUMNS = {
    "same_graph": "same graph",
    "same_equation": "same equation",
    "ndcg": "nDCG",
    "apply_nearest": "apply, nearest",
    "apply_vote": "apply, vote",
}
_SHARES = ("share-5", "share-10", "share-25", "share-50", "paper")
TWINS = {"with_twins": True, "without_twins": False}
"""Whether problems that differ from a question only in numbers may be its exemplars."""


@dataclass(frozen=True, slots=True)
class _Runs:
    """The folder of the runs."""

    output: Path

    def finished(self, name: str, arm: str) -> list[FinishedRun]:
        """Return the finished runs of an arm that was trained on a set."""
        return finished_runs(self.output, part_names(name, SETS), arm)

    def pooled(self, name: str, arm: str, twins: str, measured: str = "") -> Pooled | None:
        """Return the results of an arm trained on a set, on that set or on another evaluated one."""
        keys = (*_COLUMNS, "similarity", "graph_similarity")
        return _pooled(self._measured(name, arm, measured), twins, keys)

    def answered(self, name: str, arm: str, measured: str = "") -> tuple[Pooled, str] | None:
        """Return an arm's exact matches, allowing exemplars that differ only in numbers, and the generators' names."""
        runs = [(run, part) for run, part in self._measured(name, arm, measured) if "generator" in run.figures()[part]]
        pooled = _pooled(runs, "with_twins", ("exact_match",))
        if pooled is None:
            return None
        models = sorted({run.figures()[part]["generator"] for run, part in runs})
        return pooled.take(np.isfinite(pooled.columns["exact_match"])), ", ".join(models)

    def _measured(self, name: str, arm: str, measured: str) -> list[tuple[FinishedRun, str]]:
        """Return the runs of an arm trained on a set, each with the parts that it was evaluated on."""
        return [
            (run, part)
            for run in self.finished(name, arm)
            for part in run.figures()
            if (part.partition("/")[0] == measured if measured else part == run.part)
        ]


def _pooled(runs: Sequence[tuple[FinishedRun, str]], twins: str, keys: Sequence[str]) -> Pooled | None:
    if not runs:
        return None
    arrays = []
    for run, part in runs:
        outcomes = run.outcomes()
        columns = {key: outcomes[f"{part}/{twins}/{key}"] for key in keys}
        arrays.append({"question": outcomes[f"{part}/question"], **columns})
    return Pooled.of([run for run, _part in runs], arrays)


def analogy_tables(output: Path) -> str:
    """Return Markdown of everything run into a folder so far; missing runs are shown as "not run"."""
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
    published = read_published("analogy")  # exact match in %
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


def _exact_match(answered: tuple[Pooled, str] | None, problem_set: ProblemSet) -> str:
    if answered is None:
        return NOT_RUN
    pooled, models = answered
    mean, low, high = pooled.interval("exact_match")
    return (
        f"{100 * mean:.1f} [{100 * low:.1f}, {100 * high:.1f}] ({models},"
        f" {len(pooled.questions):,} questions){pooled.scope(problem_set)}"
    )


def _data_table(runs: _Runs) -> str:
    """Return the graph-related part of Table 1, counted by the first run of each set."""
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
    """Return Tables 2 and 3 for one set; empty if no arm was run."""
    pooled = {arm: runs.pooled(name, arm, twins) for arm in ARMS}
    if not any(pooled.values()):
        return ""
    rows = []
    for arm, reached in pooled.items():
        cells = [NOT_RUN]
        if reached is not None:
            cells = [_cell(reached, column) for column in _COLUMNS]
            cells += [f"{_correlation(reached):.2f}", _gain(reached, pooled[_REFERENCE] if arm != _REFERENCE else None)]
            cells[0] += reached.scope(SETS[name])
        rows.append((ARMS[arm].title, cells))
    return titled_table(heading, [*_COLUMNS.values(), "Pearson", "same graph, less the frozen encoder's"], rows)


def _cell(pooled: Pooled, column: str) -> str:
    return "{:.3f} [{:.3f}, {:.3f}]".format(*pooled.interval(column))


def _correlation(pooled: Pooled) -> float:
    """Return Pearson's correlation of both similarities, over all exemplars."""
    present = np.isfinite(pooled.columns["similarity"])
    return pearson(pooled.columns["similarity"][present], pooled.columns["graph_similarity"][present])


def _gain(pooled: Pooled, reference: Pooled | None) -> str:
    """Return the share with the same graph, minus the reference's, on the questions in both."""
    if reference is None:
        return "-"
    (first, own), (second, others) = _means(pooled), _means(reference)
    common, left, right = np.intersect1d(first, second, return_indices=True)
    if not len(common):
        return "-"
    return "{:+.3f} [{:+.3f}, {:+.3f}]".format(*difference(common, own[left], others[right]))


def _means(pooled: Pooled) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Return the questions, and the share of their exemplars with the same graph, averaged over seeds."""
    questions, places = np.unique(pooled.questions, return_inverse=True)
    return questions, np.bincount(places, pooled.columns["same_graph"]) / np.bincount(places)


def _transfer_table(runs: _Runs) -> str:
    """Return figures for training on one set and evaluating on another: the share of exemplars with the same graph."""
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
    """Return Figure 5: share with the same graph, by share of the training data."""
    rows = []
    for name, problem_set in SETS.items():
        pooled = [runs.pooled(name, arm, "with_twins") for arm in _SHARES]
        cells = [
            NOT_RUN if reached is None else f"{reached.columns['same_graph'].mean():.3f}{reached.scope(problem_set)}"
            for reached in pooled
        ]
        rows.append((problem_set.title, cells))
    headings = ["5 %", "10 %", "25 %", "50 %", "100 %"]
    return titled_table("Figure 5: same graph by share of the training data", headings, rows)
