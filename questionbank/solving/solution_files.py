"""Solutions of word problems in files, by the solver in use for each problem's language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from analytics.languages import written_language
from analytics.records import ProblemRecord
from analytics.solver.served import load_solver
from analytics.solver.solution import SEVERAL_REASON, ProblemSolver, Solution, solution_steps
from questionbank.core.errors import ServiceUnavailable
from questionbank.formats.answer_files import InputQuestion
from questionbank.registry.artifact_selectors import artifact_champions, artifact_numbered, champion_of_language
from questionbank.registry.serving import solver_in_use, solver_of
from questionbank.solving.solutions import ALTERNATIVES, no_value_reason


class SolverByLanguage:
    """The solvers in use combined: each problem is solved by the solver for its language.

    The set of solvers is read once. A problem in a language without a solver goes to the first, which reports why it
    cannot solve it.

    Args:
        solved: problems whose equations can be reused, in addition to those that the retriever in use stores.

    Raises:
        ServiceUnavailable: no solver is in use. Methods raise it if a solver's files are missing or damaged.
    """

    def __init__(self, *, solved: Sequence[ProblemRecord] = ()) -> None:
        self._solved = solved
        self._champions = artifact_champions(capability="solver")
        if not self._champions:
            raise ServiceUnavailable("There is no solver yet: train one, or import one with import_model.")
        self._solvers: dict[int, ProblemSolver] = {}
        self.name = ", ".join(artifact.name for artifact in self._champions)

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return the solutions of each problem; see `analytics.solver.solution.ProblemSolver`."""
        solutions: list[list[Solution]] = [[] for _problem in problems]
        written = [_in_its_language(problem) for problem in problems]
        for language in {problem.language for problem in written}:
            rows = [row for row, problem in enumerate(written) if problem.language == language]
            solved = self._solver(language).solve([written[row] for row in rows], beam=beam)
            for row, alternatives in zip(rows, solved, strict=True):
                solutions[row] = alternatives
        return solutions

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        """Return a sentence on why a problem cannot be solved; empty if it can be tried."""
        written = _in_its_language(problem)
        return self._solver(written.language).unsolvable_reason(written)

    def _solver(self, language: str) -> ProblemSolver:
        artifact = champion_of_language(self._champions, language)
        if artifact.pk not in self._solvers:
            self._solvers[artifact.pk] = solver_in_use(artifact, solved=self._solved, with_second_opinion=True).solver
        return self._solvers[artifact.pk]


def _in_its_language(problem: ProblemRecord) -> ProblemRecord:
    """Return a problem tagged with the language its text is written in, whatever its tag was."""
    return replace(problem, language=written_language(problem.text, problem.language))


def solver_by_name(model: str) -> ProblemSolver:
    """Return the solver with this number or in this folder; for ``"default"`` those in use, one per language.

    Raises:
        NotFound: there is no solver with this number, and no such folder.
        ArtifactError: the folder contains no solver.
        ServiceUnavailable: none is in use, or its files are missing.
    """
    if model == "default":
        return SolverByLanguage()
    if Path(model).is_dir():
        return load_solver(Path(model))
    return solver_of(artifact_numbered(capability="solver", number=model)).solver


def problem_solutions(questions: Sequence[InputQuestion], *, solver: ProblemSolver) -> list[dict[str, Any]]:
    """Return the solver's result for each question.

    Returns:
        For each, ``{"id", "equation", "prototype", "answer", "exact", "written", "steps", "probability",
        "alternatives"}``, plus a ``reason`` if ``answer`` is null.
    """
    problems = [ProblemRecord(str(question.id), question.text, question.language) for question in questions]
    reasons = [
        SEVERAL_REASON if question.is_in_parts else solver.unsolvable_reason(problem)
        for question, problem in zip(questions, problems, strict=True)
    ]
    solvable = [problem for problem, reason in zip(problems, reasons, strict=True) if not reason]
    solutions = iter(solver.solve(solvable, beam=ALTERNATIVES) if solvable else [])
    return [
        {"id": question.id, **_row([] if reason else next(solutions), reason)}
        for question, reason in zip(questions, reasons, strict=True)
    ]


def _row(solutions: Sequence[Solution], reason: str) -> dict[str, Any]:
    best = solutions[0] if solutions else None
    row: dict[str, Any] = {
        "equation": best.equation if best else None,
        "prototype": best.prototype if best else None,
        "answer": best.value if best else None,
        "exact": best.exact if best else None,
        "written": best.answer if best else None,
        "steps": [str(step) for step in solution_steps(best)] if best else [],
        "probability": round(best.probability, 4) if best else None,
        "alternatives": [
            {
                "equation": solution.equation,
                "prototype": solution.prototype,
                "answer": solution.value,
                "probability": round(solution.probability, 4),
            }
            for solution in solutions[1:]
        ],
    }
    if row["answer"] is None:
        row["reason"] = reason or (no_value_reason(best) if best else "No equation was found.")
    return row
