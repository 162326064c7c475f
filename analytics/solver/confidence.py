"""The probability that a solution is right: a logistic curve over features of the search's result. Torch-free.

A beam search's probability is that of a single tree and shrinks with every node, so it says little about the
answer. Platt scaling ("Probabilistic Outputs for Support Vector Machines", 1999) over three features is
fitted on problems that the solver was not trained on: `analytics.solver.calibrating`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from analytics.errors import ArtifactError
from analytics.expression.evaluate import answers_agree
from analytics.solver.solution import Solution
from analytics.solver.targets import OPERATORS

CONFIDENCE_NAME = "confidence.json"
_FEATURES = 3
_LEAST = 1e-12


@dataclass(frozen=True, slots=True)
class Confidence:
    """A logistic curve over `confidence_features`.

    Attributes:
        weights: one per feature.
        bias: the constant.
    """

    weights: tuple[float, ...]
    bias: float

    def applied(self, solutions: Sequence[Solution]) -> list[Solution]:
        """Return a problem's solutions with calibrated probabilities, in non-increasing order.

        The search's order is kept: a probability above the previous one is lowered to it. A solution is right
        if its value is, so solutions with equal values are right together; those with other values share the
        remaining probability.
        """
        if not solutions:
            return []
        features = confidence_features(solutions)
        values = [
            _sigmoid(self.bias + sum(w * value for w, value in zip(self.weights, row, strict=True))) for row in features
        ]
        rivals = [place for place in _first_of_each_value(solutions) if place > 0]
        rest = sum(values[place] for place in rivals)
        scale = min(1.0, (1 - values[0]) / rest) if rest else 1.0
        agrees = {place for place in range(len(solutions)) if _agree(solutions[0], solutions[place])}
        scaled = [value if place in agrees else scale * value for place, value in enumerate(values)]
        return [
            replace(solution, probability=value)
            for solution, value in zip(solutions, accumulate(scaled, min), strict=True)
        ]


def _first_of_each_value(solutions: Sequence[Solution]) -> list[int]:
    """Return the indices of the solutions that no earlier one agrees with."""
    places: list[int] = []
    for place, solution in enumerate(solutions):
        if not any(_agree(solutions[earlier], solution) for earlier in places):
            places.append(place)
    return places


def _agree(first: Solution, second: Solution) -> bool:
    """Return whether two solutions are the same or have equal values."""
    return first is second or answers_agree(first.value, second.value)


def confidence_features(solutions: Sequence[Solution]) -> list[tuple[float, ...]]:
    """Return features of each solution: log-probability, log of its share among all, number of operators."""
    total = sum(solution.probability for solution in solutions)
    return [
        (
            math.log(max(solution.probability, _LEAST)),
            math.log(max(solution.probability / total if total else 0.0, _LEAST)),
            float(sum(token in OPERATORS for token in solution.tokens)),
        )
        for solution in solutions
    ]


def save_confidence(confidence: Confidence, folder: Path) -> None:
    """Write the curve into a model's folder."""
    body = {"weights": list(confidence.weights), "bias": confidence.bias}
    (folder / CONFIDENCE_NAME).write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")


def load_confidence(folder: Path) -> Confidence | None:
    """Load the curve that `save_confidence` wrote; None for a solver without one.

    Raises:
        ArtifactError: the file is damaged.
    """
    path = folder / CONFIDENCE_NAME
    if not path.is_file():
        return None
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
        weights = tuple(float(weight) for weight in body["weights"])
        if len(weights) != _FEATURES:
            raise ValueError(f"{len(weights)} weights")
        return Confidence(weights, float(body["bias"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArtifactError(f"{path} cannot be read: {error}.") from error


def _sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, value))))
