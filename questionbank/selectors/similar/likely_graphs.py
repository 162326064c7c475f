"""The graphs that a solver gives problems: `analytics.analogy.likely_graphs`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analytics.analogy.graphs import ComputationalGraph
from analytics.analogy.likely_graphs import LikelyGraphs
from analytics.expression.evaluate import answers_agree
from analytics.expression.notation import from_prefix
from analytics.records import ProblemRecord
from analytics.solver.solution import Solution, Solver

__all__ = ["likely_graphs"]

_SOLUTIONS = 5  # of a problem


def likely_graphs(solver: Solver, problems: Sequence[ProblemRecord]) -> list[LikelyGraphs]:
    """Return the graphs that each problem may have; none for one that cannot be solved."""
    return [_graphs(solutions) for solutions in solver.solve(problems, beam=_SOLUTIONS)]


def _graphs(solutions: Iterable[Solution]) -> LikelyGraphs:
    """The graph of each value's likeliest solution: solutions of equal values are right together."""
    likely = []
    values: list[float] = []
    for solution in solutions:
        value = solution.value
        if value is None or any(answers_agree(value, known) for known in values):
            continue
        values.append(value)
        likely.append((ComputationalGraph.of(from_prefix(solution.tokens)), solution.probability))
    return likely
