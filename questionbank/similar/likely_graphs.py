"""The graphs that a solver gives problems, for `analytics.analogy.likely_graphs`. Needs no Django."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from analytics.analogy.graphs import readable_text_graph
from analytics.analogy.likely_graphs import LikelyGraphs
from analytics.expression.evaluate import answers_agree
from analytics.records import ProblemRecord
from analytics.solver.served import without_solution
from analytics.solver.solution import Solution, Solver

_SOLUTIONS = 5  # per problem


def likely_graphs(solver: Solver, problems: Sequence[ProblemRecord]) -> list[LikelyGraphs]:
    """Return the graphs that each problem may have; an empty list for a problem that cannot be solved."""
    unsolved = list(map(without_solution, problems))
    solutions = solver.solve(unsolved, beam=_SOLUTIONS)
    return [_graphs(problem, candidates) for problem, candidates in zip(unsolved, solutions, strict=True)]


def _graphs(problem: ProblemRecord, solutions: Iterable[Solution]) -> LikelyGraphs:
    """Return the graph of the likeliest solution per value; solutions of equal value are right or wrong together."""
    likely = []
    values: list[float] = []
    for solution in solutions:
        value = solution.value
        if value is None or any(answers_agree(value, earlier_value) for earlier_value in values):
            continue
        values.append(value)
        graph = readable_text_graph(replace(problem, equation=solution.equation))
        if graph is not None:
            likely.append((graph, solution.probability))
    return likely
