"""From finished runs to Pattern-CL's and Textual-CL's tables, beside what the papers published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from worker.bootstrap import mean_interval, paired_difference
from worker.reproduction.arms import read_published
from worker.reproduction.problem_sets import PROBLEM_SETS as SETS
from worker.reproduction.problem_sets import part_names, scope_note
from worker.reproduction.runs import finished_runs
from worker.reproduction.tables import NOT_RUN, markdown_table, titled_table
from worker.solver.reproduction.arms import ARMS, RECALLING, RECURRENT, TRIPLES_ALONE

_CASES = 5
_FLOORS = (
    "retrieve-tfidf",
    "retrieve-encoder",
    RECURRENT,
    "frozen",
    "none",
    RECALLING,
    TRIPLES_ALONE,
    "pattern",
    "textual",
    "both",
)

_NO_ARM = ""  # of a model that we do not have: its row is the paper's alone
_MATHQA_NOTE = (
    "Published figures of MathQA are of its adapted test part, ours of the adapted validation part."
)

Published = Mapping[str, str]
"""By set what a paper says."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a table: an arm, or one that we do not have, and what the paper published by set."""

    title: str
    arm: str
    published: Published


_TABLES: dict[str, list[_Row]] = {
    title: [_Row(*row) for row in rows] for title, rows in read_published(Path(__file__).parent).items()
}
_CASE_TABLES = {"Pattern-CL, Table 7": "pattern", "Textual-CL, Table 4": "textual"}


@dataclass(frozen=True, slots=True)
class _Pooled:
    """The outcomes of an arm on a set: of all folds that were run, for each seed.

    Attributes:
        problems, answers, equations, ids, written, seed: one row for each test problem and seed.
        folds: that were run.
        seeds: that were run.
    """

    problems: npt.NDArray[np.int64]
    answers: npt.NDArray[np.float64]
    equations: npt.NDArray[np.float64]
    ids: npt.NDArray[np.str_]
    written: npt.NDArray[np.str_]
    seed: npt.NDArray[np.int64]
    folds: tuple[int, ...]
    seeds: tuple[int, ...]


def solver_tables(output: Path) -> str:
    """Return markdown of everything that was run into a folder so far; the rest says "not run"."""
    runs = {(name, arm): _pooled(output, name, arm) for name in SETS for arm in ARMS}
    parts = [_main_table(runs), _contrast_table(runs)]
    for title, rows in _TABLES.items():
        parts.append(_published_table(title, rows, runs))
    parts += [_case_table(title, arm, runs) for title, arm in _CASE_TABLES.items()]
    return "\n\n".join(parts) + "\n"


Runs = Mapping[tuple[str, str], _Pooled | None]


def _pooled(output: Path, name: str, arm: str) -> _Pooled | None:
    runs = finished_runs(output, part_names(name), arm)
    if not runs:
        return None
    outcomes = [run.outcomes() for run in runs]

    def column(key: str) -> npt.NDArray[np.generic]:
        return np.concatenate([arrays[f"test/{key}"] for arrays in outcomes])

    return _Pooled(
        problems=column("problem").astype(np.int64),
        answers=column("is_answer_right").astype(np.float64),
        equations=column("is_equation_right").astype(np.float64),
        ids=column("id").astype(np.str_),
        written=column("equation").astype(np.str_),
        seed=np.concatenate(
            [
                np.full(len(arrays["test/problem"]), run.seed)
                for run, arrays in zip(runs, outcomes, strict=True)
            ]
        ),
        folds=tuple(sorted({run.fold for run in runs})),
        seeds=tuple(sorted({run.seed for run in runs})),
    )


def _main_table(runs: Runs) -> str:
    rows = [
        (
            ARMS[arm].title,
            [_cell(name, runs[name, arm], runs[name, "none"] if arm != "none" else None) for name in SETS],
        )
        for arm in _FLOORS
    ]
    return titled_table(
        "Answer accuracy in %, with the 95 % interval over problems, and the difference from no contrast",
        [SETS[name].title for name in SETS],
        rows,
    )


def _contrast_table(runs: Runs) -> str:
    """Return what the contrast changes where nothing else does: on the same problems, in as many steps."""
    rows = []
    for arm, reference in (("pattern", TRIPLES_ALONE), ("textual", "none"), ("both", "pattern")):
        cells = []
        for name in SETS:
            left, right = runs[name, arm], runs[name, reference]
            shared = None if left is None or right is None else _shared(left, right)
            if shared is None or left is None:
                cells.append(NOT_RUN)
                continue
            answers, equations = (_difference(*shared, of=of) for of in ("answers", "equations"))
            cells.append(f"{_points(answers)}{_by_seed(*shared)}; {_points(equations)}{_scope(name, left)}")
        rows.append((f"{ARMS[arm].title} less {ARMS[reference].title}", cells))
    return titled_table(
        "What a contrast alone changes, in points of right answers; of right equations, with the paired 95 % interval",
        [SETS[name].title for name in SETS],
        rows,
    )


def _by_seed(pooled: _Pooled, reference: _Pooled) -> str:
    """Return the difference of each seed, where there are several."""
    gained = [
        f"{100 * (pooled.answers[pooled.seed == seed].mean() - reference.answers[reference.seed == seed].mean()):+.1f}"
        for seed in pooled.seeds
    ]
    return f" (seeds {', '.join(gained)})" if len(gained) > 1 and pooled.seeds == reference.seeds else ""


def _points(gained: Mapping[str, float]) -> str:
    low, high = 100 * gained["low"], 100 * gained["high"]
    return f"{100 * gained['difference']:+.1f} [{low:+.1f}, {high:+.1f}]"


def _cell(name: str, pooled: _Pooled | None, reference: _Pooled | None) -> str:
    if pooled is None:
        return NOT_RUN
    mean, low, high = mean_interval(
        pooled.problems.tolist(), pooled.answers.tolist(), np.random.default_rng(0)
    )
    text = f"{100 * mean:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
    if reference is not None and (shared := _shared(pooled, reference)) is not None:
        text += f", {_points(_difference(*shared))}"
    return text + _scope(name, pooled)


def _scope(name: str, pooled: _Pooled) -> str:
    return scope_note(SETS[name], pooled.folds, pooled.seeds)


def _shared(left: _Pooled, right: _Pooled) -> tuple[_Pooled, _Pooled] | None:
    """Return both on the problems that both were tested with; None if seeds differ in number or nothing is shared."""
    common = np.intersect1d(left.problems, right.problems)
    first, second = (_on(pooled, common) for pooled in (left, right))
    if not len(common) or not np.array_equal(first.problems, second.problems):
        return None
    return first, second


def _on(pooled: _Pooled, problems: npt.NDArray[np.int64]) -> _Pooled:
    """Return the rows of some problems, in an order that depends on the problems alone."""
    rows = np.flatnonzero(np.isin(pooled.problems, problems))
    rows = rows[np.argsort(pooled.problems[rows], kind="stable")]
    return _Pooled(
        problems=pooled.problems[rows],
        answers=pooled.answers[rows],
        equations=pooled.equations[rows],
        ids=pooled.ids[rows],
        written=pooled.written[rows],
        seed=pooled.seed[rows],
        folds=pooled.folds,
        seeds=pooled.seeds,
    )


def _difference(
    pooled: _Pooled, baseline: _Pooled, *, of: Literal["answers", "equations"] = "answers"
) -> dict[str, float]:
    columns = [getattr(pooled, of).tolist(), getattr(baseline, of).tolist()]
    return paired_difference(pooled.problems.tolist(), columns, "mean", np.random.default_rng(0))


def _published_table(title: str, rows: Sequence[_Row], runs: Runs) -> str:
    """Return accuracy of answer and equation of each row's arm on every set that the paper or we have."""
    names = [
        name
        for name in SETS
        if any(name in row.published or runs.get((name, row.arm)) is not None for row in rows)
    ]
    table = titled_table(
        title,
        [heading for name in names for heading in (f"{SETS[name].title}, answer (equation)", "published")],
        [
            (row.title, [cell for name in names for cell in _pair(name, row, runs.get((name, row.arm)))])
            for row in rows
        ],
    )
    return f"{table}\n\n{_MATHQA_NOTE}" if "mathqa" in names else table


def _pair(name: str, row: _Row, pooled: _Pooled | None) -> tuple[str, str]:
    measured = "-" if row.arm == _NO_ARM else NOT_RUN
    if pooled is not None:
        measured = (
            f"{100 * pooled.answers.mean():.1f} ({100 * pooled.equations.mean():.1f}){_scope(name, pooled)}"
        )
    return measured, row.published.get(name, "-")


def _case_table(title: str, arm: str, runs: Runs) -> str:
    """Return the problems that the contrast puts right and those that it spoils, by id: their texts are not ours."""
    rows = []
    for name, problem_set in SETS.items():
        plain, contrast = runs[name, "none"], runs[name, arm]
        shared = None if plain is None or contrast is None else _shared(plain, contrast)
        if shared is None:
            rows.append([problem_set.title, NOT_RUN, NOT_RUN])
            continue
        before, after = shared
        gained = np.flatnonzero((before.answers == 0) & (after.answers == 1))
        lost = int(((before.answers == 1) & (after.answers == 0)).sum())
        cases = [
            f"{before.ids[row]}: `{before.written[row] or 'nothing'}` to `{after.written[row]}`"
            for row in gained[:_CASES]
        ]
        rows.append([problem_set.title, str(len(gained)), str(lost), "; ".join(cases)])
    table = markdown_table(["set", "wrong to right", "right to wrong", "for example"], rows)
    return f"### {title}: cases\n\n{table}"
