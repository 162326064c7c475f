"""Pool two opinions on an answer: the solver's, and that of the solutions of similar problems. Torch-free.

The opinions are multiplied, in a logarithmic opinion pool of equal weights (Genest and Zidek, "Combining
Probability Distributions", 1986; Hinton calls it a product of experts): two that reach the same answer in
different ways are right more often than either alone. Weights of 1 would be correct for independent opinions;
solver and retriever learned from the same problems, so each counts for less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from analytics.expression.evaluate import answers_agree
from analytics.solver.solution import Solution

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
