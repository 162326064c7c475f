"""How well word problems are solved: `manage.py evaluate solver`.

Accuracy of the equation and of its value (Pattern-CL, section 5.1), and of the published answer, by number of
operators, and with and without twins: problems that differ from one that was learned from in their numbers alone.
Further calibration, and the difference from retrieving the nearest problem's equation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError
from analytics.expression.evaluate import answers_agree
from analytics.probes.measure import rounded
from analytics.problem_files import Problems, read_problems
from analytics.records import ProblemRecord
from analytics.retrieval import Encode
from analytics.solver.calibrating import calibration_error
from analytics.solver.metrics import is_equation_right
from analytics.solver.solution import Solution, Solver
from analytics.solver.targets import OPERATORS, SolverExample, solver_examples, value_of
from analytics.text.numbers import mask_numbers
from questionbank.errors import ValidationFailed
from questionbank.published_numbers import number_of_answer
from questionbank.selectors.questions.solution_files import solver_by_name
from questionbank.selectors.serving import SolverByLanguage
from worker.bootstrap import mean_interval, paired_difference
from worker.solver.retrieve_and_apply import RetrieveAndApply, term_vectors

__all__ = [
    "Outcome",
    "evaluate_solver",
    "evaluate_solver_model",
    "figures_of",
    "outcomes_of",
    "retrieval_solvers",
]

_BATCH = 256
_MOST_OPERATORS = 5

SolverFor = Callable[[Sequence[ProblemRecord]], Solver]
"""Gives a solver, from the problems that may be learned from."""

TRAINED = "trained"  # the solver that is measured, beside the baselines
RECALLING = "recalling"  # the same, which recalls the set's other problems without having learned from them


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a solver wrote for a problem.

    Attributes:
        problem: with the published equation.
        operators: of the published equation; -1 where it cannot be read.
        equation, prototype: that was written, with the problem's numbers and with slots; empty where none was.
        is_equation_right, is_answer_right: beside the published equation, and its value. A quotient that is rounded
            for an answer counts as it is in the equation, since published equations round nothing.
        is_published: whether the answer, rounded where it is, is the published one; None where that is no number.
        probability: of the answer, as the solver says; 0 where there is none.
        is_twin: a problem that was learned from differs in its numbers alone.
    """

    problem: ProblemRecord
    operators: int
    equation: str
    prototype: str
    is_equation_right: bool
    is_answer_right: bool
    is_published: bool | None
    probability: float
    is_twin: bool


def evaluate_solver(
    data: Path,
    solver: Solver | None,
    *,
    name: str = "",
    frozen: Encode | None = None,
    recalling: SolverFor | None = None,
    language: str = "",
    beam: int = 3,
) -> dict[str, Any]:
    """Measure a solver, and retrieve-and-apply, on a file or a folder of problems.

    Problems are tested with by file name (`read_problems`) or, where there are no such files, fold by fold.

    Args:
        solver: None measures the baselines alone.
        name: of the solver.
        frozen: an encoder for the second baseline.
        recalling: gives the same solver, which recalls the problems that may be learned from.

    Returns:
        Figures by solver, and the differences of the solver's answer accuracy from the baselines'.

    Raises:
        DataError: nothing can be measured.
    """
    parts = list(_parts(data, language))
    solvers: dict[str, SolverFor] = {TRAINED: lambda _learned: solver} if solver is not None else {}
    if any(part.learned for part in parts):
        solvers |= retrieval_solvers(frozen)
        if recalling is not None:
            solvers[RECALLING] = recalling
    if not solvers:
        raise DataError("There is no solver, and no problem to retrieve equations from.")
    outcomes = {
        name: [
            outcome
            for part in parts
            for outcome in outcomes_of(solver_for(part.learned), part.test, part.learned, beam=beam)
        ]
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
    result: dict[str, Any] = rounded(figures)
    return result


def _parts(data: Path, language: str) -> Iterator[Problems]:
    """Yield what is learned from and what is tested with: once, or for each fold."""
    problems = read_problems(data, language=language)
    folds = sorted({problem.fold for problem in problems.learned if problem.fold is not None})
    if problems.test:
        yield problems
    elif folds:
        for fold in folds:
            yield read_problems(data, language=language, fold=fold)
    else:
        yield Problems((), (), problems.learned)


def retrieval_solvers(frozen: Encode | None) -> dict[str, SolverFor]:
    """Return the baselines: the nearest problem by TF-IDF and, with an encoder, by its vectors."""
    solvers: dict[str, SolverFor] = {"retrieve_tfidf": _by_terms}
    if frozen is not None:
        solvers["retrieve_encoder"] = partial(_by_vectors, _remembering(frozen))
    return solvers


def _remembering(encode: Encode) -> Encode:
    """Encode each text once, although folds share most of theirs."""
    vectors: dict[str, npt.NDArray[np.float32]] = {}

    def encode_new(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        if new:
            vectors.update(zip(new, encode(new), strict=True))
        return np.stack([vectors[text] for text in texts])

    return encode_new


def _by_terms(learned: Sequence[ProblemRecord]) -> Solver:
    examples = solver_examples(learned)
    vectors, encode = term_vectors(examples)
    return RetrieveAndApply(examples, vectors, encode, name="retrieve_tfidf")


def _by_vectors(frozen: Encode, learned: Sequence[ProblemRecord]) -> Solver:
    examples = solver_examples(learned)
    vectors = frozen([example.problem.text for example in examples])
    return RetrieveAndApply(examples, vectors, frozen, name="retrieve_encoder")


def outcomes_of(
    solver: Solver, problems: Sequence[ProblemRecord], learned: Sequence[ProblemRecord] = (), *, beam: int = 3
) -> list[Outcome]:
    """Solve problems with a published equation; one whose equation cannot be read counts as wrong."""
    twins = {mask_numbers(problem.text) for problem in learned}
    readable = {(example.problem.id, example.problem.text): example for example in solver_examples(problems)}
    outcomes = []
    for start in range(0, len(problems), _BATCH):
        batch = problems[start : start + _BATCH]
        for problem, solutions in zip(batch, solver.solve(batch, beam=beam), strict=True):
            example = readable.get((problem.id, problem.text))
            is_twin = mask_numbers(problem.text) in twins
            outcomes.append(_outcome(problem, example, solutions[0] if solutions else None, is_twin))
    return outcomes


def _outcome(
    problem: ProblemRecord, example: SolverExample | None, solution: Solution | None, is_twin: bool
) -> Outcome:
    wanted = value_of(example.tokens, example.values) if example is not None else None
    published = number_of_answer(problem.answer)
    return Outcome(
        problem=problem,
        operators=-1 if example is None else sum(token in OPERATORS for token in example.tokens),
        equation=solution.equation if solution is not None else "",
        prototype=solution.prototype if solution is not None else "",
        is_equation_right=(
            example is not None and solution is not None and is_equation_right(example, solution.tokens)
        ),
        is_answer_right=solution is not None and answers_agree(solution.quotient, wanted),
        is_published=None
        if published is None
        else solution is not None and published.agrees_with(solution.value),
        probability=solution.probability if solution is not None else 0.0,
        is_twin=is_twin,
    )


def figures_of(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Return accuracies with an interval, by number of operators and by twins, and the calibration error."""
    by_operators: dict[str, list[Outcome]] = {}
    for outcome in sorted(outcomes, key=lambda outcome: outcome.operators):
        many = outcome.operators >= _MOST_OPERATORS
        label = "unreadable" if outcome.operators < 0 else f"{outcome.operators}" if not many else "5 or more"
        by_operators.setdefault(label, []).append(outcome)
    return {
        **_accuracies(outcomes),
        "answer_interval": _interval(outcomes),
        "calibration_error": _calibration_error(outcomes),
        "by_operators": {
            label: _accuracies(operator_outcomes) for label, operator_outcomes in by_operators.items()
        },
        "twins": _accuracies([outcome for outcome in outcomes if outcome.is_twin]),
        "without_twins": _accuracies([outcome for outcome in outcomes if not outcome.is_twin]),
    }


def _accuracies(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    if not outcomes:
        return {
            "problems": 0,
            "equation_accuracy": None,
            "answer_accuracy": None,
            "published_accuracy": None,
        }
    published = [outcome.is_published for outcome in outcomes if outcome.is_published is not None]
    return {
        "problems": len(outcomes),
        "equation_accuracy": float(np.mean([outcome.is_equation_right for outcome in outcomes])),
        "answer_accuracy": float(np.mean([outcome.is_answer_right for outcome in outcomes])),
        "published_accuracy": float(np.mean(published)) if published else None,
    }


def _interval(outcomes: Sequence[Outcome]) -> list[float] | None:
    """Return the 95 % bootstrap interval of the answer accuracy."""
    if not outcomes:
        return None
    right = [float(outcome.is_answer_right) for outcome in outcomes]
    return list(mean_interval(range(len(right)), right, np.random.default_rng(0))[1:])


def _difference(outcomes: Sequence[Outcome], baseline: Sequence[Outcome]) -> dict[str, float]:
    """Return the answer accuracy less a baseline's on the same problems, with its 95 % bootstrap interval."""
    columns = [
        [float(outcome.is_answer_right) for outcome in solver_outcomes]
        for solver_outcomes in (outcomes, baseline)
    ]
    drawn = paired_difference(range(len(outcomes)), columns, "mean", np.random.default_rng(0))
    return {name: drawn[name] for name in ("difference", "low", "high")}


def _calibration_error(outcomes: Sequence[Outcome]) -> float | None:
    """Return the expected calibration error of the answers; None where there are none."""
    if not outcomes:
        return None
    return calibration_error(
        [outcome.probability for outcome in outcomes], [outcome.is_answer_right for outcome in outcomes]
    )


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
