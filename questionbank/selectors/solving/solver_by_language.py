"""A solver that asks the one in use for each problem's language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analytics.records import ProblemRecord
from analytics.solver.solution import Solution, Solver
from analytics.text.tokens import written_language
from questionbank.errors import ServiceUnavailable
from questionbank.selectors.registry.artifacts import (
    artifact_champions,
    champion_of_language,
)
from questionbank.selectors.serving import solver_in_use


class SolverByLanguage:
    """The solvers in use as one: each problem is solved by the solver of its language.

    Which solvers these are is read once. A language without a solver gets the first one, which says why it cannot help.

    Args:
        solved: problems with equations that are recalled in addition to those that the retriever in use keeps.

    Raises:
        ServiceUnavailable: no solver is in use. Methods raise it where a solver's files are missing or damaged.
    """

    def __init__(self, *, solved: Sequence[ProblemRecord] = ()) -> None:
        self._solved = solved
        self._champions = artifact_champions(capability="solver")
        if not self._champions:
            raise ServiceUnavailable("There is no solver yet: train one, or import one with import_model.")
        self._solvers: dict[int, Solver] = {}
        self.name = ", ".join(artifact.name for artifact in self._champions)

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return the solutions of each problem; see `analytics.solver.solution.Solver`."""
        solutions: list[list[Solution]] = [[] for _problem in problems]
        written = [_in_its_language(problem) for problem in problems]
        for language in {problem.language for problem in written}:
            rows = [row for row, problem in enumerate(written) if problem.language == language]
            solved = self._solver(language).solve([written[row] for row in rows], beam=beam)
            for row, alternatives in zip(rows, solved, strict=True):
                solutions[row] = alternatives
        return solutions

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        """Say in one sentence why a problem cannot be solved; empty where it can be tried."""
        written = _in_its_language(problem)
        return self._solver(written.language).unsolvable_reason(written)

    def _solver(self, language: str) -> Solver:
        artifact = champion_of_language(self._champions, language)
        if artifact.pk not in self._solvers:
            self._solvers[artifact.pk] = solver_in_use(
                artifact, solved=self._solved, with_second_opinion=True
            ).solver
        return self._solvers[artifact.pk]


def _in_its_language(problem: ProblemRecord) -> ProblemRecord:
    """Return a problem with the language that its text is written in, whatever its tag says."""
    return replace(problem, language=written_language(problem.text, problem.language))
