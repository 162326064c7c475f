"""One answer from two opinions: a solver's, and what the solutions of similar problems give. Torch-free.

The opinions are multiplied, a logarithmic opinion pool of equal weights (Genest and Zidek, "Combining Probability
Distributions", 1986; Hinton calls it a product of experts): two that come to the same answer by different ways are
right more often than either. Weights of 1 would hold for opinions that have nothing in common; solver and retriever
learned from the same problems, so each counts for less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from analytics.expression.evaluate import answers_agree
from analytics.solver.solution import Solution

_WEIGHT = 0.6  # of each opinion: decision 61 has the measurements
_LEAST_REST = 0.02  # that an opinion leaves over: no answer is certain
_UNSAID = 0.1  # share of an opinion's unassigned probability that each answer receives that it does not name


@dataclass(slots=True)
class _Answer:
    """A value with the first solution that has it, and the probability that each opinion gives it."""

    solution: Solution
    own: float = 0.0
    recalled: float = 0.0


def pooled_solutions(own: Sequence[Solution], recalled: Sequence[Solution], *, most: int) -> list[Solution]:
    """Return the answers of two opinions on one problem, the most probable first.

    Args:
        own: solutions with probabilities that they are right; the equation shown is the first of a value.
        recalled: the second opinion: what the solutions of similar problems give, each value once.
        most: solutions that are returned.

    Returns:
        A solution for each value, by falling probability; after them the `own` solutions without a value. The
        probabilities of different values add up to at most 1. If either list is empty, the other one as it is.
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
        replace(answer.solution, probability=weight / total)
        for answer, weight in zip(answers, weights, strict=True)
    ]
    pooled.sort(key=lambda solution: (solution.value is None, -solution.probability))
    return pooled[:most]


def mixed_solutions(certain: Solution | None, others: Sequence[Solution], *, most: int) -> list[Solution]:
    """Return a solution that is right with a known probability before others, which count where it is wrong.

    A linear opinion pool (Stone, "The Opinion Pool", 1961): another answer keeps its share of what the first leaves
    over, and one that agrees adds it to the first. `others` stay as they are where there is no such solution.
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
    """Return the answer of a solution's value, which is added where it is new.

    A solution without a value is a group of its own.
    """
    for answer in answers:
        if answers_agree(answer.solution.value, solution.value):
            return answer
    answers.append(_Answer(solution))
    return answers[-1]
