"""Outcomes of several runs of an arm, put together for a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from worker.bootstrap import mean_interval, paired_difference
from worker.reproduction.problem_sets import ProblemSet, scope_note
from worker.reproduction.runs import FinishedRun

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Pooled:
    """What an arm reached on a set: all folds and seeds that were run, a row for each question and seed.

    Attributes:
        questions: a number for each question; runs of the same question share it.
        columns: by name.
        folds, seeds: that were run.
    """

    questions: npt.NDArray[np.int64]
    columns: Mapping[str, Array]
    folds: tuple[int, ...]
    seeds: tuple[int, ...]

    @classmethod
    def of(cls, runs: Sequence[FinishedRun], arrays: Iterable[Mapping[str, Array]]) -> Self:
        """Return runs and their outcomes as one; ``question`` names the rows.

        Args:
            runs: at least one.
            arrays: of each run, by name.
        """
        by_run = [
            {**run_arrays, "seed": np.full(len(run_arrays["question"]), run.seed)}
            for run, run_arrays in zip(runs, arrays, strict=True)
        ]
        columns = {name: np.concatenate([run_arrays[name] for run_arrays in by_run]) for name in by_run[0]}
        return cls(
            questions=columns.pop("question"),
            columns=columns,
            folds=tuple(sorted({run.fold for run in runs})),
            seeds=tuple(sorted({run.seed for run in runs})),
        )

    def take(self, rows: Array) -> Pooled:
        """Return some of the rows."""
        columns = {name: column[rows] for name, column in self.columns.items()}
        return replace(self, questions=self.questions[rows], columns=columns)

    def interval(self, column: str) -> tuple[float, float, float]:
        """Return the mean of a column with its 95 % bootstrap interval over questions: mean, low, high."""
        values = self.columns[column].astype(float).tolist()
        return mean_interval(self.questions.tolist(), values, np.random.default_rng(0))

    def scope(self, problem_set: ProblemSet) -> str:
        """Say which folds and seeds were run, if they are not all folds with one seed."""
        return scope_note(problem_set, self.folds, self.seeds)


def difference(questions: Array, values: Array, reference: Array) -> tuple[float, float, float]:
    """Return the mean of some values less the reference's, with its paired 95 % bootstrap interval over questions."""
    columns = [values.astype(float).tolist(), reference.astype(float).tolist()]
    drawn = paired_difference(questions.tolist(), columns, "mean", np.random.default_rng(0))
    return drawn["difference"], drawn["low"], drawn["high"]
