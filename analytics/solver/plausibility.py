"""Answers that a question cannot have: a fraction of a car, or fewer children than none. Torch-free.

Ours: neither the decoder nor the vote of similar problems looks at an equation's value. A question for a number of
things makes a fraction or a negative number unlikely, by Bayes' rule; a division with a remainder is rounded.
Decisions 66 and 67 have the measurements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analytics.language.table import language_of
from analytics.solver.rounding import rounded_solution
from analytics.solver.solution import Solution, divides_by_zero

_IMPLAUSIBLE = 0.01  # how likely such a question is to have such an answer, compared with a whole number
_REMAINDER = 0.1  # how likely a division is to have a remainder
_ROUNDING = 1e-6


def asks_for_count(text: str) -> bool:
    """Return whether a text asks, at last, how many things there are.

    >>> asks_for_count("How many red cars are needed?"), asks_for_count("How many more miles did he walk?")
    (True, False)
    >>> asks_for_count("还剩多少个苹果？"), asks_for_count("每个苹果多少千克？")
    (True, False)
    """
    return language_of(text).question_shapes.asks_for_count(text)


def answer_to_count(text: str, solution: Solution) -> Solution:
    """Return a solution with its quotient rounded where its text asks for a number of things; else as it is."""
    return _reading(text, solution)[0] if asks_for_count(text) else solution


def plausible_first(text: str, solutions: Sequence[Solution]) -> list[Solution]:
    """Return a problem's solutions with probabilities that allow for what its question asks for, most probable first.

    Args:
        text: of the problem.
        solutions: with probabilities; those without a value stay last.
    """
    if not solutions or divides_by_zero(solutions[0]) or not asks_for_count(text):
        return list(solutions)
    readings = [_reading(text, solution) for solution in solutions]
    if all(likelihood == 1 for _solution, likelihood in readings):
        return list(solutions)
    weights = [solution.probability * likelihood for solution, likelihood in readings]
    rest = max(0.0, 1 - sum(solution.probability for solution in solutions))
    total = sum(weights) + rest
    weighed = [
        replace(solution, probability=weight / total if total else 0.0)
        for (solution, _likelihood), weight in zip(readings, weights, strict=True)
    ]
    return sorted(weighed, key=lambda solution: (solution.value is None, -solution.probability))


def _reading(text: str, solution: Solution) -> tuple[Solution, float]:
    """Return a solution as an answer to a question for a number of things, and how likely such an answer is."""
    if _is_count(solution.value):
        return solution, 1.0
    rounded = rounded_solution(text, solution)
    return (solution, _IMPLAUSIBLE) if rounded is None else (rounded, _REMAINDER)


def _is_count(value: float | None) -> bool:
    """Return whether a value is a whole number from 0 on; a solution without a value is left as it is."""
    return value is None or (value > -_ROUNDING and abs(value - round(value)) < _ROUNDING * max(1.0, value))
