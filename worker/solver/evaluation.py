"""`manage.py evaluate solver`: a solver and retrieve-and-apply, measured on problems with equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from analytics.records import ProblemRecord
from analytics.solver.solution import Solver
from questionbank.errors import ValidationFailed
from questionbank.selectors.questions.solution_files import solver_by_name
from questionbank.selectors.serving import SolverByLanguage
from worker.evaluation.solver import evaluate_solver

__all__ = ["evaluate_solver_model"]


def evaluate_solver_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """Measure a solver on ``data``: those in use, one by its number or folder, or the baselines alone (``none``).

    Raises:
        ValidationFailed: no data is given.
        NotFound: there is no such solver.
        ServiceUnavailable: none is in use.
        DataError: nothing can be measured.
    """
    if options["data"] is None:
        raise ValidationFailed("evaluate solver needs --data: a file or a folder of word problems.")
    from analytics.backbone.bert import encode_bulk, load_backbone

    name, solver = _solver(options["model"])
    return evaluate_solver(
        options["data"],
        solver,
        name=name,
        frozen=partial(encode_bulk, load_backbone()),
        recalling=_recalling if options["model"] == "default" else None,
    )


def _recalling(learned: Sequence[ProblemRecord]) -> Solver:
    """Return the solvers in use, which recall these problems too."""
    return SolverByLanguage(solved=learned)


def _solver(model: str) -> tuple[str, Solver | None]:
    """Return a name and a solver; none for the baselines alone."""
    if model == "none":
        return "", None
    solver = solver_by_name(model)
    return Path(model).name if Path(model).is_dir() else solver.name, solver
