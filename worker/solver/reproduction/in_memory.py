"""A model in memory as a solver: measured in the middle of its training, or without an artifact."""

from __future__ import annotations

from collections.abc import Sequence

from analytics.records import ProblemRecord
from analytics.solver.model import SolverModel
from analytics.solver.plausibility import plausible_first
from analytics.solver.solution import Solution


class SolverInMemory:
    """Implements `analytics.solver.solution.Solver`: answers as a served solver does, so that both compare."""

    name = "in memory"

    def __init__(self, model: SolverModel) -> None:
        self._model = model

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return the solutions of each problem, the most probable plausible one first."""
        solutions = self._model.solve(problems, beam=beam)
        return [
            plausible_first(problem.text, candidates)
            for problem, candidates in zip(problems, solutions, strict=True)
        ]

    def unsolvable_reason(self, _problem: ProblemRecord) -> str:
        """Return no reason: everything can be tried."""
        return ""
