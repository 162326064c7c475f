"""A solver's outcomes on problems, and figures computed from them. Needs no database.

Pattern-CL, section 5.1: accuracy of the equation and of its value; also of the published answer, by number of
operators, and with and without twins, which differ from a training problem only in their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analytics.expression.evaluate import answers_agree
from analytics.metrics import expected_calibration_error
from analytics.records import ProblemRecord
from analytics.solver.metrics import is_equation_right
from analytics.solver.solution import ProblemSolver, Solution
from analytics.solver.targets import OPERATORS, SolverExample, solver_examples, value_of
from analytics.text.copies import story_key
from questionbank.bank.published_numbers import number_of_answer
from worker.bootstrap import mean_interval

_BATCH = 256
_MOST_OPERATORS = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """A solver's outcome for a problem.

    Attributes:
        problem: the problem, with its published equation.
        operators: number of operators in the published equation; -1 if it cannot be parsed.
        equation, prototype: the equation written, with the problem's numbers and with slots; empty if there is none.
        is_equation_right, is_answer_right: compared with the published equation, and with its value. A quotient that is
            rounded for an answer counts unrounded, since published equations round nothing.
        is_published: whether the answer, rounded where it is, is the published one; None if that is not a number.
        probability: the solver's probability of the answer; 0 if there is none.
        is_twin: whether a training problem differs only in its numbers.
    """

    problem: ProblemRecord
    operators: int
    equation: str
    prototype: str
    is_equation_right: bool
    is_answer_right: bool
    is_published: bool | None
    probability: float
    is_twin: bool


def outcomes_of(
    solver: ProblemSolver, problems: Sequence[ProblemRecord], learned: Sequence[ProblemRecord] = (), *, beam: int = 3
) -> list[Outcome]:
    """Solve problems with a published equation; a problem whose equation cannot be parsed counts as wrong."""
    twins = {story_key(problem.text) for problem in learned}
    readable = {(example.problem.id, example.problem.text): example for example in solver_examples(problems)}
    outcomes = []
    for start in range(0, len(problems), _BATCH):
        batch = problems[start : start + _BATCH]
        for problem, solutions in zip(batch, solver.solve(batch, beam=beam), strict=True):
            example = readable.get((problem.id, problem.text))
            is_twin = story_key(problem.text) in twins
            outcomes.append(_outcome(problem, example, solutions[0] if solutions else None, is_twin))
    return outcomes


def _outcome(
    problem: ProblemRecord, example: SolverExample | None, solution: Solution | None, is_twin: bool
) -> Outcome:
    wanted = value_of(example.tokens, example.values) if example is not None else None
    published = number_of_answer(problem.answer)
    return Outcome(
        problem=problem,
        operators=-1 if example is None else sum(token in OPERATORS for token in example.tokens),
        equation=solution.equation if solution is not None else "",
        prototype=solution.prototype if solution is not None else "",
        is_equation_right=(
            example is not None and solution is not None and is_equation_right(example, solution.tokens)
        ),
        is_answer_right=solution is not None and answers_agree(solution.quotient, wanted),
        is_published=None if published is None else solution is not None and published.agrees_with(solution.value),
        probability=solution.probability if solution is not None else 0.0,
        is_twin=is_twin,
    )


def figures_of(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return accuracies with an interval, by number of operators and by twins, and the calibration error."""
    by_operators: dict[str, list[Outcome]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.operators):
        many = outcome.operators >= _MOST_OPERATORS
        label = "unreadable" if outcome.operators < 0 else f"{outcome.operators}" if not many else "5 or more"
        by_operators.setdefault(label, []).append(outcome)
    return {
        **_accuracies(outcomes),
        "answer_interval": _interval(outcomes),
        "calibration_error": _calibration_error(outcomes),
        "by_operators": {label: _accuracies(operator_outcomes) for label, operator_outcomes in by_operators.items()},
        "twins": _accuracies([outcome for outcome in outcomes if outcome.is_twin]),
        "without_twins": _accuracies([outcome for outcome in outcomes if not outcome.is_twin]),
    }


def _accuracies(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    if not outcomes:
        return {"problems": 0, "equation_accuracy": None, "answer_accuracy": None, "published_accuracy": None}
    published = [outcome.is_published for outcome in outcomes if outcome.is_published is not None]
    return {
        "problems": len(outcomes),
        "equation_accuracy": float(np.mean([outcome.is_equation_right for outcome in outcomes])),
        "answer_accuracy": float(np.mean([outcome.is_answer_right for outcome in outcomes])),
        "published_accuracy": float(np.mean(published)) if published else None,
    }


def _interval(outcomes: Sequence[Outcome]) -> list[float] | None:
    """Return the 95 % bootstrap interval of the answer accuracy."""
    if not outcomes:
        return None
    right = [float(outcome.is_answer_right) for outcome in outcomes]
    return list(mean_interval(range(len(right)), right, np.random.default_rng(0))[1:])


def _calibration_error(outcomes: Sequence[Outcome]) -> float | None:
    """Return the expected calibration error of the answers; None if there are none."""
    if not outcomes:
        return None
    return expected_calibration_error(
        np.array([outcome.probability for outcome in outcomes]),
        np.array([outcome.is_answer_right for outcome in outcomes]),
        bins=10,
    )
