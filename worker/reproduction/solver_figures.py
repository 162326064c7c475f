"""How encoders represent problems and how problems cluster during training (Pattern-CL's Figures 2 to 8), and cases."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analytics.atomic_file import write_json, write_text, written_aside
from analytics.expression.keys import prototype_equation
from analytics.records import ProblemRecord
from analytics.solver.model import SolverModel
from analytics.solver.targets import SolverExample, solver_examples
from analytics.solver.train import Observer
from analytics.training.context import StepReport
from worker.reproduction.runs import PROBLEM_SETS as SETS
from worker.reproduction.runs import Run, part_names
from worker.reproduction.solver_representation import clustering_index, layer_states
from worker.reproduction.solver_tables import ARMS
from worker.reproduction.tables import FinishedRun, Pooled, finished_runs, map_of_groups, range_of, titled_table
from worker.solver.evaluation import outcomes_of

COSINES = "centre_cosine"
"""Name of the array with the cosine of each test problem to the centre of its prototype equation."""
_MAPPED = 4  # prototype equations on the map
_PLACED = "representations.npz"


@dataclass(frozen=True, slots=True)
class PlacedProblems:
    """An encoder's representations of training and test problems.

    Attributes:
        states: (problems, width) of [CLS], last layer.
        prototypes: (problems,) prototype equations.
        rows: (problems,) index among the test problems; -1 for a training problem.
    """

    states: npt.NDArray[np.float32]
    prototypes: npt.NDArray[np.str_]
    rows: npt.NDArray[np.int64]

    def save(self, folder: Path) -> None:
        """Write them into a run's folder, the states in half precision."""
        with written_aside(folder / _PLACED) as stream:
            np.savez_compressed(
                stream, states=self.states.astype(np.float16), prototypes=self.prototypes, rows=self.rows
            )

    @classmethod
    def load(cls, folder: Path) -> PlacedProblems | None:
        """Read them from a run's folder; None if it has none stored."""
        if not (folder / _PLACED).is_file():
            return None
        with np.load(folder / _PLACED) as stored:
            return cls(stored["states"].astype(np.float32), stored["prototypes"], stored["rows"])


class Readable(NamedTuple):
    """Problems whose equation can be parsed: their indices, examples and prototype equations."""

    rows: list[int]
    examples: list[SolverExample]
    prototypes: list[str]


def readable(problems: Sequence[ProblemRecord]) -> Readable:
    """Return the problems whose equation can be parsed."""
    read = Readable([], [], [])
    for row, problem in enumerate(problems):
        for example in solver_examples([problem]):
            if example.tree is not None:
                read.rows.append(row)
                read.examples.append(example)
                read.prototypes.append(prototype_equation(example.tree))
    return read


def prototype_map(states: npt.NDArray[np.float32], prototypes: Sequence[str], title: str) -> str:
    """Draw the problems of the most frequent prototype equations as SVG.

    Args:
        states: (problems, width).
        prototypes: prototype equation of each problem.
        title: printed above the map, followed by the method.
    """
    common = [prototype for prototype, _count in Counter(prototypes).most_common(_MAPPED)]
    groups = {prototype: states[[key == prototype for key in prototypes]] for prototype in common}
    return map_of_groups(groups, title)


def known(figure: float) -> float | None:
    """Return a figure for JSON: None for NaN."""
    return None if np.isnan(figure) else figure


_LOWEST = 0.4  # lowest interval of cosines; those below it form one interval


@dataclass(frozen=True, slots=True)
class _Measured:
    """An arm's runs on a set whose representation was measured.

    Attributes:
        figures: figures of each run.
        pooled: cosines of the test problems of all runs, and whether the equation is right.
        scope: a note on folds and seeds, unless they are all folds with one seed.
    """

    figures: list[Mapping[str, Any]]
    pooled: Pooled
    scope: str


def representation_tables(output: Path) -> str:
    """Return Markdown of the representations of all arms that were run into a folder, leaving out arms without any."""
    measured = {
        f"{SETS[name].title}, {ARMS[arm].title}": arm_figures
        for name in SETS
        for arm in ARMS
        if (arm_figures := _measured(output, name, arm)) is not None
    }
    tables = (_clustering_table, _moment_table, _pairs_table, _cosine_table)
    return "\n\n".join(table(measured) for table in tables)


def _measured(output: Path, name: str, arm: str) -> _Measured | None:
    figures, runs = [], []
    for run in finished_runs(output, part_names(name), arm):
        if measured := run.figures().get("representation"):
            figures.append(measured)
            runs.append(run)
    if not runs:
        return None
    names = {"question": "test/problem", "cosine": f"test/{COSINES}", "is_right": "test/is_equation_right"}
    outcomes = [run.outcomes() for run in runs]
    pooled = Pooled.of(runs, ({key: arrays[name] for key, name in names.items()} for arrays in outcomes))
    return _Measured(figures, pooled, pooled.scope(SETS[name]))


def _clustering_table(measured: Mapping[str, _Measured]) -> str:
    """Return Figure 7, and Figure 2's layers as one number each."""
    layers = max((len(arm.figures[0]["clustering"]["test_by_layer"]) for arm in measured.values()), default=1)
    rows = [
        (title + arm.scope, [_mean(arm, "clustering", "training"), *_means(arm, layers, "clustering", "test_by_layer")])
        for title, arm in measured.items()
    ]
    return titled_table(
        "Pattern-CL, Figures 2 and 7: Calinski-Harabasz index of [CLS] by prototype equation, mean of the runs",
        ["training, last layer", *(f"test, layer {number}" for number in range(layers))],
        [(title, [_number(value, 2) for value in values]) for title, values in rows],
    )


def _moment_table(measured: Mapping[str, _Measured]) -> str:
    """Return Figure 2's epochs as one number each, with the accuracy at that time."""
    moments = {
        title: [reached for figures in arm.figures for reached in figures.get("moments", [])]
        for title, arm in measured.items()
    }
    shares = sorted({reached["share"] for title in moments for reached in moments[title]})
    rows = []
    for title, arm in measured.items():
        if moments[title]:
            at_share = [[reached for reached in moments[title] if reached["share"] == share] for share in shares]
            rows.append((title + arm.scope, [_moment_cell(reached) for reached in at_share]))
    return titled_table(
        "Pattern-CL, Figure 2: Calinski-Harabasz index of [CLS] of test problems by prototype equation, last layer, and"
        " right answers in %, while it is trained",
        [f"after {share:.0%}" for share in shares],
        rows,
    )


def _moment_cell(moments: Sequence[Mapping[str, Any]]) -> str:
    """Return the means over several runs at one moment."""
    if not moments:
        return "-"
    index = np.mean(np.array([reached["index"] for reached in moments], dtype=np.float64))
    accuracy = np.mean([reached["answer_accuracy"] for reached in moments])
    steps = range_of(sorted({reached["step"] for reached in moments}))
    return f"{_number(float(index), 2)}, {100 * accuracy:.1f} % (step {steps})"


def _pairs_table(measured: Mapping[str, _Measured]) -> str:
    layers = max((len(arm.figures[0]["clustering"]["test_by_layer"]) for arm in measured.values()), default=1)
    rows = []
    for title, arm in measured.items():
        for kind, words in (("similar_wording", "similar wording"), ("same_prototype", "same prototype")):
            count = sum(figures["pairs"][kind]["pairs"] for figures in arm.figures)
            values = _means(arm, layers, "pairs", kind, "cosine_by_layer")
            rows.append((f"{title}{arm.scope}, {count} pairs: {words}", [_number(value, 3) for value in values]))
    return titled_table(
        "Pattern-CL, Figure 3: cosine of pairs, mean over words, by layer",
        [f"layer {number}" for number in range(layers)],
        rows,
    )


def _cosine_table(measured: Mapping[str, _Measured]) -> str:
    """Return Figures 4 and 8."""
    starts = np.round(np.arange(_LOWEST, 1, 0.1), 1)
    rows = []
    for title, arm in measured.items():
        cosines, is_right = (arm.pooled.columns[key] for key in ("cosine", "is_right"))
        interval = np.digitize(cosines, starts)
        cells = []
        for number in range(len(starts) + 1):
            chosen = is_right[(interval == number) & ~np.isnan(cosines)]
            cells.append(f"{100 * chosen.mean():.1f} of {len(chosen)}" if len(chosen) else "-")
        rows.append((title + arm.scope, cells))
    headings = [f"below {starts[0]}", *(f"{start} to {start + 0.1:.1f}" for start in starts)]
    return titled_table(
        "Pattern-CL, Figures 4 and 8: right equations in %, by cosine to the centre of the prototype equation",
        headings,
        rows,
    )


def _mean(arm: _Measured, *keys: str) -> float:
    """Return the mean of a figure over runs; NaN if a run does not have it."""
    return float(np.mean(np.array([_at(figures, keys) for figures in arm.figures], dtype=np.float64)))


def _means(arm: _Measured, layers: int, *keys: str) -> list[float]:
    """Return the means of a figure over runs, by layer, padded with NaN for encoders with fewer layers."""
    values = np.mean(np.array([_at(figures, keys) for figures in arm.figures], dtype=np.float64), axis=0)
    return [*values.tolist(), *[float("nan")] * (layers - len(values))]


def _at(figures: Mapping[str, Any], keys: Sequence[str]) -> Any:
    value: Any = figures
    for key in keys:
        value = value[key]
    return value


def _number(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:.{digits}f}"


def moment(share: float, step: int, index: float | None, answer_accuracy: float) -> dict[str, Any]:
    """Return the record of a moment.

    Args:
        share: share of the training that is done.
        step: optimiser steps done.
        index: clustering of the test problems by prototype equation, last layer; None if undefined.
        answer_accuracy: answer accuracy on the test problems.
    """
    return {"share": share, "step": step, "index": index, "answer_accuracy": answer_accuracy}


def moment_observer(run: Run, problems: Sequence[ProblemRecord], count: int, title: str) -> Observer:
    """Return a callback that measures a solver at evenly spaced moments of its training, except the end.

    A moment is measured once, at the training's first report after it, even if the training is resumed.

    Args:
        run: its folder gets a map for each moment; the figures stay next to the checkpoint until the run is finished.
        problems: the problems that the solver is tested on.
        count: number of moments, including the end.
        title: printed above the maps, followed by the step.
    """
    _rows, examples, prototypes = readable(problems)

    def observe(model: SolverModel, report: StepReport) -> None:
        number = report.step * count // report.steps
        kept = run.checkpoint / _name(number, count)
        if not examples or not 0 < number < count or kept.is_file():
            return
        run.say(f"measuring the encoder after {report.step:,} steps")
        states = layer_states(model, examples).first[-1]
        outcomes = outcomes_of(model, problems)
        accuracy = float(np.mean([outcome.is_answer_right for outcome in outcomes]))
        picture = prototype_map(states, prototypes, f"{title}, step {report.step:,}")
        write_text(run.folder / f"prototypes-{number}-of-{count}.svg", picture)
        run.checkpoint.mkdir(exist_ok=True)
        index = known(clustering_index(states, prototypes))
        write_json(kept, moment(number / count, report.step, index, accuracy))

    return observe


def kept_moments(run: Run, count: int) -> list[dict[str, Any]]:
    """Return the stored moments of an unfinished run, in order."""
    files = [run.checkpoint / _name(number, count) for number in range(1, count)]
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]


def _name(number: int, count: int) -> str:
    return f"moment-{number}-of-{count}.json"


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
