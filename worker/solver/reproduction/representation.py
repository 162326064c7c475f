"""What a trained arm's encoder makes of problems: Pattern-CL's Figures 2 to 4 and 6 to 8, Textual-CL's Figure 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.expression.keys import prototype_equation
from analytics.problem_files import Problems
from analytics.records import ProblemRecord
from analytics.solver.model import load_solver
from analytics.solver.representation import (
    centre_cosines,
    clustering_index,
    contrasting_pairs,
    layer_states,
)
from analytics.solver.targets import SolverExample, solver_examples
from worker.reproduction.maps import map_of_groups
from worker.reproduction.problem_sets import PROBLEM_SETS as SETS
from worker.reproduction.problem_sets import part_names, scope_note
from worker.reproduction.runs import finished_runs
from worker.solver.reproduction.arms import ARMS
from worker.solver.retrieve_and_apply import term_vectors

__all__ = ["COSINES", "Representation", "measure_representation", "representation_tables"]

COSINES = "centre_cosine"
"""Name of the array with the cosine of each test problem to the centre of its prototype equation."""
_LEARNED = 3_000  # training problems whose clustering is measured
_MAPPED = 4  # prototype equations on the map
_LOWEST = 0.4  # of the intervals of cosines; those below it are one
_NOT_RUN = "not run"


@dataclass(frozen=True, slots=True)
class Representation:
    """What was measured of an encoder.

    Attributes:
        figures: clustering of training and test problems by layer, and cosines of the two kinds of pairs by layer.
        cosines: (test problems,) to the centre of the prototype equation; NaN where no other problem has it, or the
            equation cannot be read.
        picture: SVG of the test problems of the commonest prototype equations.
    """

    figures: dict[str, Any]
    cosines: npt.NDArray[np.float64]
    picture: str


def measure_representation(folder: Path, problems: Problems, title: str) -> Representation | None:
    """Measure the encoder of a solver's folder; None where no equation of a test problem can be read.

    Args:
        folder: of the trained solver.
        problems: that it learned from, and that it is tested with.
        title: stands above the picture.
    """
    model = load_solver(folder)
    rows, examples = _readable(problems.test)
    if not examples:
        return None
    prototypes = _prototypes(examples)
    states = layer_states(model, examples)
    top = states.first[-1]
    learned = solver_examples(problems.learned[:: max(1, len(problems.learned) // _LEARNED)])
    pairs = contrasting_pairs(term_vectors(examples)[0], prototypes)
    figures = {
        "clustering": {
            "training": _known(
                clustering_index(layer_states(model, learned).first[-1], _prototypes(learned))
            ),
            "test_by_layer": [_known(clustering_index(layer, prototypes)) for layer in states.first],
        },
        "pairs": {
            name: {
                "pairs": len(rows),
                "cosine_by_layer": [_known(_mean_cosine(layer, rows)) for layer in states.words],
            }
            for name, rows in zip(("similar_wording", "same_prototype"), pairs, strict=True)
        },
    }
    cosines = np.full(len(problems.test), np.nan)
    cosines[rows] = centre_cosines(top, prototypes)
    common = [prototype for prototype, _count in Counter(prototypes).most_common(_MAPPED)]
    groups = {prototype: top[[key == prototype for key in prototypes]] for prototype in common}
    return Representation(figures, cosines, map_of_groups(groups, title))


def _readable(problems: Sequence[ProblemRecord]) -> tuple[list[int], list[SolverExample]]:
    """Return the rows of the problems whose equation can be read, and what it says."""
    rows, examples = [], []
    for row, problem in enumerate(problems):
        for example in solver_examples([problem]):
            rows.append(row)
            examples.append(example)
    return rows, examples


def _prototypes(examples: Sequence[SolverExample]) -> list[str]:
    return [prototype_equation(example.tree) for example in examples if example.tree is not None]


def _mean_cosine(vectors: npt.NDArray[np.float32], pairs: npt.NDArray[np.int64]) -> float:
    left, right = vectors[pairs[:, 0]], vectors[pairs[:, 1]]
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines = (left * right).sum(axis=1) / np.maximum(lengths, 1e-12)
    return float(cosines.mean()) if len(cosines) else float("nan")


def _known(figure: float) -> float | None:
    """Return a figure as JSON has it: null for NaN."""
    return None if np.isnan(figure) else figure


@dataclass(frozen=True, slots=True)
class _Measured:
    """The runs of an arm on a set whose representation was measured.

    Attributes:
        figures: of each run.
        cosines, is_right: of the test problems of all runs; whether the equation is right.
        scope: folds and seeds, where they are not all folds with one seed.
    """

    figures: list[Mapping[str, Any]]
    cosines: npt.NDArray[np.float64]
    is_right: npt.NDArray[np.bool_]
    scope: str


def representation_tables(output: Path) -> str:
    """Return markdown of the representations of all arms that were run into a folder, those without any left out."""
    measured = {
        f"{SETS[name].title}, {ARMS[arm].title}": arm_figures
        for name in SETS
        for arm in ARMS
        if (arm_figures := _measured(output, name, arm)) is not None
    }
    return "\n\n".join([_clustering_table(measured), _pairs_table(measured), _cosine_table(measured)])


def _measured(output: Path, name: str, arm: str) -> _Measured | None:
    figures, runs = [], []
    for run in finished_runs(output, part_names(name), arm):
        if measured := run.figures().get("representation"):
            figures.append(measured)
            runs.append(run)
    if not runs:
        return None
    outcomes = [run.outcomes() for run in runs]
    folds, seeds = ({run.fold for run in runs}, {run.seed for run in runs})
    return _Measured(
        figures,
        np.concatenate([arrays[f"test/{COSINES}"] for arrays in outcomes]),
        np.concatenate([arrays["test/is_equation_right"] for arrays in outcomes]).astype(bool),
        scope_note(SETS[name], tuple(sorted(folds)), tuple(sorted(seeds))),
    )


def _clustering_table(measured: Mapping[str, _Measured]) -> str:
    """Return Figure 7, and Figure 2's layers as one number each."""
    layers = max((len(arm.figures[0]["clustering"]["test_by_layer"]) for arm in measured.values()), default=1)
    rows = [
        (
            title + arm.scope,
            [
                _mean(arm, "clustering", "training"),
                *_means(arm, layers, "clustering", "test_by_layer"),
            ],
        )
        for title, arm in measured.items()
    ]
    return _table(
        "Pattern-CL, Figures 2 and 7: Calinski-Harabasz index of [CLS] by prototype equation, mean of the runs",
        ["training, last layer", *(f"test, layer {number}" for number in range(layers))],
        [(title, [_number(value, 2) for value in values]) for title, values in rows],
    )


def _pairs_table(measured: Mapping[str, _Measured]) -> str:
    layers = max((len(arm.figures[0]["clustering"]["test_by_layer"]) for arm in measured.values()), default=1)
    rows = []
    for title, arm in measured.items():
        for kind, words in (("similar_wording", "similar wording"), ("same_prototype", "same prototype")):
            count = sum(figures["pairs"][kind]["pairs"] for figures in arm.figures)
            values = _means(arm, layers, "pairs", kind, "cosine_by_layer")
            rows.append(
                (f"{title}{arm.scope}, {count} pairs: {words}", [_number(value, 3) for value in values])
            )
    return _table(
        "Pattern-CL, Figure 3: cosine of pairs, mean over words, by layer",
        [f"layer {number}" for number in range(layers)],
        rows,
    )


def _cosine_table(measured: Mapping[str, _Measured]) -> str:
    """Return Figures 4 and 8."""
    starts = np.round(np.arange(_LOWEST, 1, 0.1), 1)
    rows = []
    for title, arm in measured.items():
        interval = np.digitize(arm.cosines, starts)
        cells = []
        for number in range(len(starts) + 1):
            chosen = arm.is_right[(interval == number) & ~np.isnan(arm.cosines)]
            cells.append(f"{100 * chosen.mean():.1f} of {len(chosen)}" if len(chosen) else "-")
        rows.append((title + arm.scope, cells))
    headings = [f"below {starts[0]}", *(f"{start} to {start + 0.1:.1f}" for start in starts)]
    return _table(
        "Pattern-CL, Figures 4 and 8: right equations in %, by cosine to the centre of the prototype equation",
        headings,
        rows,
    )


def _mean(arm: _Measured, *keys: str) -> float:
    """Return the mean over runs of a figure; NaN where a run has none."""
    return float(np.mean(np.array([_at(figures, keys) for figures in arm.figures], dtype=np.float64)))


def _means(arm: _Measured, layers: int, *keys: str) -> list[float]:
    """Return the means over runs of a figure by layer; encoders with fewer layers leave the last ones out."""
    values = np.mean(np.array([_at(figures, keys) for figures in arm.figures], dtype=np.float64), axis=0)
    return [*values.tolist(), *[float("nan")] * (layers - len(values))]


def _at(figures: Mapping[str, Any], keys: Sequence[str]) -> Any:
    value: Any = figures
    for key in keys:
        value = value[key]
    return value


def _number(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:.{digits}f}"


def _table(title: str, headings: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    lines = [f"### {title}", "", f"| | {' | '.join(headings)} |", f"|---|{'---|' * len(headings)}"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows]
    return "\n".join(lines if rows else [*lines[:2], _NOT_RUN])
