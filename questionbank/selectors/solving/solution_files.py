"""Solutions of word problems as files have them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from analytics.records import ProblemRecord
from analytics.solver.served import load_solver
from analytics.solver.solution import SEVERAL_REASON, Solution, Solver, solution_steps
from questionbank.files import InputQuestion
from questionbank.selectors.registry.artifacts import artifact_numbered
from questionbank.selectors.serving import solver_of
from questionbank.selectors.solving.solutions import ALTERNATIVES, no_value_reason
from questionbank.selectors.solving.solver_by_language import SolverByLanguage


def solver_by_name(model: str) -> Solver:
    """Return the solver with a number or in a folder; for ``"default"`` those in use, each for its language.

    Raises:
        NotFound: there is no solver with this number, and no such folder.
        ArtifactError: the folder holds none.
        ServiceUnavailable: none is in use, or its files are missing.
    """
    if model == "default":
        return SolverByLanguage()
    if Path(model).is_dir():
        return load_solver(Path(model))
    return solver_of(artifact_numbered(capability="solver", number=model)).solver


def problem_solutions(questions: Sequence[InputQuestion], *, solver: Solver) -> list[dict[str, Any]]:
    """Return what the solver makes of each question.

    Returns:
        For each ``{"id", "equation", "prototype", "answer", "exact", "written", "steps", "probability",
        "alternatives"}``; with a ``reason`` where ``answer`` is null.
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
