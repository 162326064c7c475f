"""Evaluation of word problem solvers: `manage.py evaluate solver`.

The figures of `worker.solver.outcomes`, and the difference from retrieving the nearest problem's equation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from analytics.errors import DataError
from analytics.problem_files import Problems, read_problems
from analytics.records import ProblemRecord
from analytics.retrieval import Encode
from analytics.solver.solution import ProblemSolver
from questionbank.solving.solution_files import SolverByLanguage, solver_by_name
from worker.bootstrap import paired_difference
from worker.solver.outcomes import Outcome, SolverFor, figures_of, outcomes_of, retrieval_solvers

TRAINED = "trained"  # the evaluated solver, as opposed to the baselines
RECALLING = "recalling"  # the same one, recalling the set's other problems without being trained on them


def evaluate_solver(
    data: Path,
    solver: ProblemSolver | None,
    *,
    name: str = "",
    frozen: Encode | None = None,
    recalling: SolverFor | None = None,
) -> dict[str, Any]:
    """Evaluate a solver, and retrieve-and-apply, on a file or a folder of problems.

    Test problems are chosen by file name (`read_problems`) or, if there are no such files, fold by fold.

    Args:
        solver: None evaluates only the baselines.
        name: name of the solver.
        frozen: an encoder for the second baseline.
        recalling: returns the same solver with recall of the training problems.

    Returns:
        Figures by solver, and the differences of the solver's answer accuracy from the baselines'.

    Raises:
        DataError: there is nothing to evaluate.
    """
    parts = list(_parts(data))
    solvers: dict[str, SolverFor] = {TRAINED: lambda _learned: solver} if solver is not None else {}
    if any(part.learned for part in parts):
        solvers |= retrieval_solvers(frozen)
        if recalling is not None:
            solvers[RECALLING] = recalling
    if not solvers:
        raise DataError("There is no solver, and no problem to retrieve equations from.")
    outcomes = {
        name: [outcome for part in parts for outcome in outcomes_of(solver_for(part.learned), part.test, part.learned)]
        for name, solver_for in solvers.items()
    }
    figures: dict[str, Any] = {
        "data": data.name,
        "solver": name,
        "tested": "by fold" if len(parts) > 1 else "once",
        "figures": {name: figures_of(arm_outcomes) for name, arm_outcomes in outcomes.items()},
    }
    if solver is not None:
        figures["differences"] = {
            name: _difference(outcomes[TRAINED], arm_outcomes)
            for name, arm_outcomes in outcomes.items()
            if name != TRAINED
        }
    return figures


def _parts(data: Path) -> Iterator[Problems]:
    """Yield training and test problems: once, or for each fold."""
    problems = read_problems(data)
    folds = sorted({problem.fold for problem in problems.learned if problem.fold is not None})
    if problems.test:
        yield problems.without_leaks()
    elif folds:
        for fold in folds:
            yield read_problems(data, fold=fold).without_leaks()
    else:
        yield Problems((), (), problems.learned)


def _difference(outcomes: Sequence[Outcome], baseline: Sequence[Outcome]) -> dict[str, float]:
    """Return the answer accuracy minus a baseline's on the same problems, with its 95 % bootstrap interval."""
    columns = [
        [float(outcome.is_answer_right) for outcome in solver_outcomes] for solver_outcomes in (outcomes, baseline)
    ]
    drawn = paired_difference(range(len(outcomes)), columns, "mean", np.random.default_rng(0))
    return {name: drawn[name] for name in ("difference", "low", "high")}


def evaluate_solver_model(options: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate a solver on ``data``: those in use, one by its id or folder, or only the baselines (``none``).

    Raises:
        NotFound: there is no such solver.
        ServiceUnavailable: no solver is in use.
        DataError: there is nothing to evaluate.
    """
    from analytics.backbone.bert import encode_bulk, load_backbone

    name, solver = _solver(options["model"])
    return evaluate_solver(
        options["data"],
        solver,
        name=name,
        frozen=partial(encode_bulk, load_backbone()),
        recalling=_recalling if options["model"] == "default" else None,
    )


def _recalling(learned: Sequence[ProblemRecord]) -> ProblemSolver:
    """Return the solvers in use, with recall of these problems too."""
    return SolverByLanguage(solved=learned)


def _solver(model: str) -> tuple[str, ProblemSolver | None]:
    """Return a name and a solver; None for only the baselines."""
    if model == "none":
        return "", None
    solver = solver_by_name(model)
    return Path(model).name if Path(model).is_dir() else solver.name, solver
