"""Comparing a candidate solver with the champion on the bank's held-out problems, which neither was trained on.

A problem's answer is the unrounded value of its equation, else the published number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from analytics.expression.evaluate import answers_agree
from analytics.records import ProblemRecord
from analytics.solver.solution import Solution
from analytics.solver.targets import solver_example, value_of
from analytics.splits import split_place
from analytics.text.published_numbers import number_of_answer
from questionbank.core.capability_figures import SolverFigures
from questionbank.models import ModelArtifact
from questionbank.registry.model_selectors import SMALLEST_SUITE
from questionbank.registry.serving import solver_of
from questionbank.solving.solutions import gives_published
from questionbank.training.solver import solver_material
from worker.comparison import ROLES, SEED, in_portions, paired_metric
from worker.reporting import RunReporter

LARGEST_SUITE = 2_000
CHANGED_SHOWN = 20


def solver_comparison_figures(
    reporter: RunReporter, *, candidate: ModelArtifact, champion: ModelArtifact
) -> SolverFigures:
    """Evaluate both solvers.

    Raises:
        ServiceUnavailable: the files of a solver are missing or damaged.
    """
    reporter.progress(0, 0, "Reading the fixed problems")
    suite = sorted(solver_material(candidate.scope).suite, key=lambda problem: split_place(problem.text))
    suite = suite[:LARGEST_SUITE]  # for a large bank the same sample each time, with problems of both kinds
    solutions = {
        role: in_portions(reporter, role, suite, solver_of(artifact).solver.solve)
        for role, artifact in zip(ROLES, (candidate, champion), strict=True)
    }
    return solver_figures(suite, solutions)


def solver_figures(
    suite: Sequence[ProblemRecord], solutions: Mapping[str, Sequence[Sequence[Solution]]]
) -> SolverFigures:
    """Return the figures of a comparison.

    Args:
        suite: problems with an equation that can be parsed, or with a numeric answer.
        solutions: both solvers' solutions of each problem, by ``"candidate"`` and ``"champion"``.
    """
    checkers = [_checker(problem) for problem in suite]
    right = {
        role: [
            bool(candidates) and is_right(candidates[0])
            for candidates, is_right in zip(solutions[role], checkers, strict=True)
        ]
        for role in ROLES
    }
    metrics = []
    if len(suite) >= SMALLEST_SUITE:
        columns = [[float(hit) for hit in right[role]] for role in ROLES]
        metrics.append(paired_metric("answer_accuracy", range(len(suite)), columns, np.random.default_rng(SEED)))
    changed = [place for place in range(len(suite)) if right["candidate"][place] != right["champion"][place]]
    answer_only = sum(not problem.equation for problem in suite)
    return {
        "suite": {
            "questions": len(suite),
            "with_equation": len(suite) - answer_only,
            "answer_only": answer_only,
            "won": sum(right["candidate"][place] for place in changed),
            "lost": 0,  # questions that only one solver can read: none, as both read every problem
            "gained": 0,
            "missed": sum(right["champion"][place] for place in changed),
            "seed": SEED,
        },
        "metrics": metrics,
        "changed_problems": [
            {
                "question": int(suite[place].id),
                "text": suite[place].text,
                "equation": suite[place].equation,
                "answer": suite[place].answer,
                "is_won": right["candidate"][place],
                "candidate": _first_equation(solutions["candidate"][place]),
                "champion": _first_equation(solutions["champion"][place]),
            }
            for place in changed[:CHANGED_SHOWN]
        ],
    }


def _first_equation(candidates: Sequence[Solution]) -> str:
    return candidates[0].equation if candidates else ""


def _checker(problem: ProblemRecord) -> Callable[[Solution], bool]:
    """Return a function that checks whether a solution gives the problem's answer."""
    if problem.equation:
        example = solver_example(problem)
        value = value_of(example.tokens, example.values)
        return lambda solution: answers_agree(solution.quotient, value)
    published = number_of_answer(problem.answer)
    return lambda solution: published is not None and gives_published(solution, published)
