"""Textual-CL's Figure 5: where the encoders without and with contrast place the problems that contrast corrects.

A case is a test problem that is answered wrong without contrast and right with it. Around it are the problems with its
own prototype equation, and those with the prototype equation written for it without contrast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from analytics.atomic_file import write_text
from worker.reproduction.maps import map_of_groups
from worker.reproduction.problem_sets import PROBLEM_SETS as SETS
from worker.reproduction.problem_sets import part_names
from worker.reproduction.runs import FinishedRun, finished_runs
from worker.reproduction.tables import titled_table
from worker.solver.reproduction.arms import ARMS
from worker.solver.reproduction.representation import PlacedProblems

CASE_ARMS = ("none", "textual")
"""The arms whose runs store their encoder's representations: without contrast, and with it."""

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class _Case:
    """A test problem that the contrast corrects.

    Attributes:
        id: id of the problem.
        right, wrong: its prototype equation, and the one written without contrast.
        place: index of the problem among all.
        right_places, wrong_places: indices of the other problems with either equation.
        states: (problems, width) of all problems, for each arm.
        runs: the runs of the arms.
    """

    id: str
    right: str
    wrong: str
    place: int
    right_places: npt.NDArray[np.intp]
    wrong_places: npt.NDArray[np.intp]
    states: Sequence[npt.NDArray[np.float32]]
    runs: Sequence[FinishedRun]

    @property
    def surroundings(self) -> int:
        """The number of problems around it of the less frequent kind."""
        return min(len(self.right_places), len(self.wrong_places))

    def cosines(self) -> npt.NDArray[np.float64]:
        """Return the mean cosines (arms, 2) to the problems with the right and with the wrong equation."""
        return np.array(
            [
                [_mean_cosine(states[self.place], states[near]) for near in (self.right_places, self.wrong_places)]
                for states in self.states
            ]
        )


def case_table(output: Path) -> str:
    """Return Markdown of the cases of all sets that both arms were run on, by id: their texts are not ours."""
    rows = []
    for name, problem_set in SETS.items():
        cases = _cases(output, name)
        surrounded = [case for case in cases if case.surroundings]
        cosines = [case.cosines() for case in surrounded]
        for case, values in list(zip(surrounded, cosines, strict=True))[:_SHOWN]:
            groups = (f"`{case.right}` ({len(case.right_places):,})", f"`{case.wrong}` ({len(case.wrong_places):,})")
            place = f"fold {case.runs[0].fold}, " if problem_set.folds else ""
            title = f"{problem_set.title}, {place}seed {case.runs[0].seed}, {case.id}"
            rows.append((title, [*groups, *_cells(values)]))
        if cases:
            title = f"{problem_set.title}, mean of the {len(surrounded)} of {len(cases)} cases with both around them"
            cells = _cells(np.mean(cosines, axis=0)) if surrounded else ["-"] * len(CASE_ARMS)
            rows.append((title, ["", "", *cells]))
    return titled_table(
        "Textual-CL, Figure 5: mean cosine of a case's [CLS] to the problems with its own equation, to those with the"
        " equation that was written for it without contrast, and the difference",
        [
            "its own equation (problems)",
            "the one written without contrast (problems)",
            *(ARMS[arm].title for arm in CASE_ARMS),
        ],
        rows,
    )


def draw_cases(output: Path) -> None:
    """Draw the first case of each set as ``case.svg`` in the folders of its two runs."""
    for name in SETS:
        for case in [case for case in _cases(output, name) if case.surroundings][:1]:
            for arm, run, states in zip(CASE_ARMS, case.runs, case.states, strict=True):
                groups = {
                    f"its own, {case.right}": states[case.right_places],
                    f"without contrast, {case.wrong}": states[case.wrong_places],
                    "the case": states[[case.place]],
                }
                title = f"{ARMS[arm].title} on {run.part}, around {case.id}"
                write_text(run.folder / "case.svg", map_of_groups(groups, title))


def _cases(output: Path, name: str) -> list[_Case]:
    """Return the cases of a set, those with the most problems of both kinds around them first."""
    plain, contrast = (
        {(run.part, run.seed): run for run in finished_runs(output, part_names(name), arm)} for arm in CASE_ARMS
    )
    cases = [case for place in plain if place in contrast for case in _run_cases([plain[place], contrast[place]])]
    return sorted(cases, key=lambda case: -case.surroundings)


def _run_cases(runs: Sequence[FinishedRun]) -> list[_Case]:
    """Return the cases of two runs whose equation can be parsed."""
    placed = [places for run in runs if (places := PlacedProblems.load(run.folder)) is not None]
    before, after = (run.outcomes() for run in runs)
    if len(placed) < len(runs) or not np.array_equal(before["test/problem"], after["test/problem"]):
        return []
    prototypes, rows = placed[0].prototypes, placed[0].rows
    is_case = ~before["test/is_answer_right"] & after["test/is_answer_right"]
    cases = []
    for place in np.flatnonzero((rows >= 0) & is_case[rows]).tolist():
        right, wrong = str(prototypes[place]), str(before["test/prototype"][rows[place]])
        cases.append(
            _Case(
                id=str(before["test/id"][rows[place]]),
                right=right,
                wrong=wrong,
                place=place,
                right_places=np.flatnonzero((prototypes == right) & (np.arange(len(rows)) != place)),
                wrong_places=np.flatnonzero(prototypes == wrong),
                states=[places.states for places in placed],
                runs=runs,
            )
        )
    return cases


def _mean_cosine(state: npt.NDArray[np.float32], others: npt.NDArray[np.float32]) -> float:
    lengths = np.linalg.norm(others, axis=1) * np.linalg.norm(state)
    return float(np.mean(others @ state / np.maximum(lengths, 1e-12)))


def _cells(cosines: npt.NDArray[np.float64]) -> list[str]:
    return [f"{right:.3f}, {wrong:.3f}, {right - wrong:+.3f}" for right, wrong in cosines]
