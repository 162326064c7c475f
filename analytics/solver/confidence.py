"""The probability that a solution is right: calibrated for one solver, and pooled of two opinions. Torch-free.

A beam search's probability is that of a single tree and shrinks with every node, so it says little about the
answer. Platt scaling ("Probabilistic Outputs for Support Vector Machines", 1999) over three features is
fitted on problems that the solver was not trained on: `analytics.solver.calibrating`.

Two opinions, the solver's and that of the solutions of similar problems, are multiplied: a logarithmic opinion pool of
equal weights (Genest and Zidek, "Combining Probability Distributions", 1986; Hinton calls it a product of experts). Two
that reach the same answer in different ways are right more often than either alone. Weights of 1 would be correct for
independent opinions; solver and retriever learned from the same problems, so each counts for less.
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


_WEIGHT = 0.6  # of each opinion: decision 61 has the measurements
_LEAST_REST = 0.02  # minimum probability that an opinion leaves for other answers: no answer is certain
_UNSAID = 0.1  # share of an opinion's unassigned probability that goes to each answer that it does not name


@dataclass(slots=True)
class _Answer:
    """A value with the first solution that has it, and each opinion's probability for it."""

    solution: Solution
    own: float = 0.0
    recalled: float = 0.0


def pooled_solutions(own: Sequence[Solution], recalled: Sequence[Solution], *, most: int) -> list[Solution]:
    """Return the pooled answers of two opinions on one problem, most probable first.

    Args:
        own: solutions with probabilities that they are right; the equation shown is the first of a value.
        recalled: the second opinion: answers from similar problems' solutions, each value once.
        most: maximum number of solutions.

    Returns:
        A solution for each value, by decreasing probability, followed by the `own` solutions without a value.
        The probabilities of different values add up to at most 1. If either list is empty, the other is
        returned unchanged.
    """
    if not own or not recalled:
        return list(own or recalled)[:most]
    answers: list[_Answer] = []
    for solution in own:
        answer = _answer_for(solution, answers)
        answer.own = max(answer.own, solution.probability)  # equal values are right together
    for solution in recalled:
        _answer_for(solution, answers).recalled += solution.probability
    own_rest = max(_LEAST_REST, 1 - sum(answer.own for answer in answers))
    recalled_rest = max(_LEAST_REST, 1 - sum(answer.recalled for answer in answers))
    weights = [
        ((answer.own + _UNSAID * own_rest) * (answer.recalled + _UNSAID * recalled_rest)) ** _WEIGHT
        for answer in answers
    ]
    total = sum(weights) + (own_rest * recalled_rest) ** _WEIGHT
    pooled = [
        replace(answer.solution, probability=weight / total) for answer, weight in zip(answers, weights, strict=True)
    ]
    pooled.sort(key=lambda solution: (solution.value is None, -solution.probability))
    return pooled[:most]


def mixed_solutions(certain: Solution | None, others: Sequence[Solution], *, most: int) -> list[Solution]:
    """Combine a solution of known probability with others, which count if it is wrong.

    A linear opinion pool (Stone, "The Opinion Pool", 1961): another answer gets its share of the remaining
    probability, and one that agrees adds its share to the first. If there is no such solution, `others` are
    returned unchanged.
    """
    if certain is None:
        return list(others)[:most]
    rest = 1 - certain.probability
    mixed = [certain]
    for solution in others:
        share = rest * solution.probability
        if answers_agree(certain.value, solution.value):
            first = mixed[0]
            mixed[0] = replace(first, probability=min(1 - rest * _LEAST_REST, first.probability + share))
        else:
            mixed.append(replace(solution, probability=share))
    return mixed[:most]


def _answer_for(solution: Solution, answers: list[_Answer]) -> _Answer:
    """Return the answer with a solution's value, adding it if new.

    A solution without a value is a group of its own.
    """
    for answer in answers:
        if answers_agree(answer.solution.value, solution.value):
            return answer
    answers.append(_Answer(solution))
    return answers[-1]
