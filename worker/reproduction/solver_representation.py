"""A trained arm's representation of problems: Pattern-CL's Figures 2 to 4 and 6 to 8, Textual-CL's Figure 4."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from analytics.atomic_file import written_aside
from analytics.expression.keys import prototype_equation
from analytics.problem_files import Problems
from analytics.records import ProblemRecord
from analytics.solver.model import SolverModel
from analytics.solver.representation import centre_cosines, clustering_index, contrasting_pairs, layer_states
from analytics.solver.targets import SolverExample, solver_examples
from worker.reproduction.tables import map_of_groups
from worker.solver.outcomes import term_vectors

COSINES = "centre_cosine"
"""Name of the array with the cosine of each test problem to the centre of its prototype equation."""
_LEARNED = 3_000  # training problems whose clustering is evaluated
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


@dataclass(frozen=True, slots=True)
class Representation:
    """Measurements of an encoder.

    Attributes:
        figures: clustering of training and test problems by layer, and cosines of the two kinds of pairs by layer.
        cosines: (test problems,) to the centre of the prototype equation; NaN if no other problem has it, or if the
            equation cannot be parsed.
        picture: SVG of the test problems of the most frequent prototype equations.
        placed: at most about 3,000 of the training problems, and all test problems, whose equation can be parsed.
    """

    figures: dict[str, Any]
    cosines: npt.NDArray[np.float64]
    picture: str
    placed: PlacedProblems


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


def measure_representation(model: SolverModel, problems: Problems, title: str) -> Representation | None:
    """Measure the encoder of a solver; None if no equation of a test problem can be parsed.

    Args:
        model: the trained solver.
        problems: its training and test problems.
        title: printed above the picture.
    """
    rows, examples, prototypes = readable(problems.test)
    if not examples:
        return None
    states = layer_states(model, examples)
    top = states.first[-1]
    sample = readable(problems.learned[:: max(1, len(problems.learned) // _LEARNED)])
    learned = layer_states(model, sample.examples).first[-1]
    pairs = contrasting_pairs(term_vectors(examples)[0], prototypes)
    figures = {
        "clustering": {
            "training": known(clustering_index(learned, sample.prototypes)),
            "test_by_layer": [known(clustering_index(layer, prototypes)) for layer in states.first],
        },
        "pairs": {
            name: {"pairs": len(rows), "cosine_by_layer": [known(_mean_cosine(layer, rows)) for layer in states.words]}
            for name, rows in zip(("similar_wording", "same_prototype"), pairs, strict=True)
        },
    }
    cosines = np.full(len(problems.test), np.nan)
    cosines[rows] = centre_cosines(top, prototypes)
    placed = PlacedProblems(
        states=np.concatenate([learned, top]),
        prototypes=np.array([*sample.prototypes, *prototypes]),
        rows=np.array([-1] * len(learned) + rows),
    )
    return Representation(figures, cosines, prototype_map(top, prototypes, title), placed)


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


def _mean_cosine(vectors: npt.NDArray[np.float32], pairs: npt.NDArray[np.int64]) -> float:
    left, right = vectors[pairs[:, 0]], vectors[pairs[:, 1]]
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    cosines = (left * right).sum(axis=1) / np.maximum(lengths, 1e-12)
    return float(cosines.mean()) if len(cosines) else float("nan")
