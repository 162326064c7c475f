"""The graphs that a solver gives problems: `analytics.analogy.likely_graphs`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analytics.analogy.graphs import ComputationalGraph
from analytics.analogy.likely_graphs import LikelyGraphs
from analytics.expression.notation import from_prefix
from analytics.records import ProblemRecord
from analytics.solver.solution import Solution, Solver

__all__ = ["graphs_of_solutions", "likely_graphs"]

_SOLUTIONS = 5  # of a problem


def likely_graphs(solver: Solver, problems: Sequence[ProblemRecord]) -> list[LikelyGraphs]:
    """Return the graphs that each problem may have; none for one that cannot be solved."""
    return [graphs_of_solutions(solutions) for solutions in solver.solve(problems, beam=_SOLUTIONS)]


def graphs_of_solutions(solutions: Iterable[Solution]) -> LikelyGraphs:
    """Return the graphs of a problem's solutions, each with the solution's probability."""
    return [
        (ComputationalGraph.of(from_prefix(solution.tokens)), solution.probability) for solution in solutions
    ]
