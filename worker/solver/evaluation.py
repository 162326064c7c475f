"""How well solvers solve word problems: outcomes, figures and baselines, and `manage.py evaluate solver`.

Pattern-CL, section 5.1: accuracy of the equation and of its value; also of the published answer, by number of
operators, and with and without twins, which differ from a training problem only in their numbers. The baselines apply
the nearest problem's equation. Only `evaluate_solver_model` needs a database.
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
from analytics.expression.evaluate import answers_agree, is_slot
from analytics.expression.tree import to_prefix
from analytics.inference.encode import Encode, nearest_rows
from analytics.metrics import expected_calibration_error
from analytics.question_files import Problems, read_problems
from analytics.records import ProblemRecord
from analytics.solver.solution import ProblemSolver, Solution, solution_of
from analytics.solver.targets import (
    OPERATORS,
    SolverExample,
    is_equation_right,
    solver_example,
    solver_examples,
    value_of,
)
from analytics.solver.textual_pairs import number_labels, numbered_tree, text_tokens
from analytics.text.fingerprints import story_key
from analytics.text.meaning import number_of_answer
from worker.bootstrap import mean_interval, paired_difference

_BATCH = 256
_MOST_OPERATORS = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """A solver's outcome for a problem.

    Attributes:
        problem: the problem, with its published equation.
        operators: number of operators in the published equation; -1 if it cannot be parsed.
        equation, prototype: the equation written, with the problem's numbers and with slots; empty if there is none.
        is_equation_right, is_answer_right: compared with the published equation, and with its value. A quotient that is
            rounded for an answer counts unrounded, since published equations round nothing.
        is_published: whether the answer, rounded where it is, is the published one; None if that is not a number.
        probability: the solver's probability of the answer; 0 if there is none.
        is_twin: whether a training problem differs only in its numbers.
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


def outcomes_of(
    solver: ProblemSolver, problems: Sequence[ProblemRecord], learned: Sequence[ProblemRecord] = (), *, beam: int = 3
) -> list[Outcome]:
    """Solve problems with a published equation; a problem whose equation cannot be parsed counts as wrong."""
    twins = {story_key(problem.text) for problem in learned}
    readable = {(example.problem.id, example.problem.text): example for example in solver_examples(problems)}
    outcomes = []
    for start in range(0, len(problems), _BATCH):
        batch = problems[start : start + _BATCH]
        for problem, solutions in zip(batch, solver.solve(batch, beam=beam), strict=True):
            example = readable.get((problem.id, problem.text))
            is_twin = story_key(problem.text) in twins
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
        is_published=None if published is None else solution is not None and published.agrees_with(solution.value),
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
        "by_operators": {label: _accuracies(operator_outcomes) for label, operator_outcomes in by_operators.items()},
        "twins": _accuracies([outcome for outcome in outcomes if outcome.is_twin]),
        "without_twins": _accuracies([outcome for outcome in outcomes if not outcome.is_twin]),
    }


def _accuracies(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    if not outcomes:
        return {"problems": 0, "equation_accuracy": None, "answer_accuracy": None, "published_accuracy": None}
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


def _calibration_error(outcomes: Sequence[Outcome]) -> float | None:
    """Return the expected calibration error of the answers; None if there are none."""
    if not outcomes:
        return None
    return expected_calibration_error(
        np.array([outcome.probability for outcome in outcomes]),
        np.array([outcome.is_answer_right for outcome in outcomes]),
        bins=10,
    )


SolverFor = Callable[[Sequence[ProblemRecord]], ProblemSolver]
"""Returns a solver, given the training problems."""

_TRIED = 50


class RetrieveAndApply:
    """A solver without a model; `analytics.solver.solution.ProblemSolver`.

    Args:
        known: problems with equations.
        vectors: (known, width) of length 1.
        encode: returns such vectors for other texts.
        name: its name in figures.
    """

    def __init__(
        self, known: Sequence[SolverExample], vectors: npt.NDArray[np.float32], encode: Encode, *, name: str
    ) -> None:
        self.known, self.vectors, self.encode, self.name = known, vectors, encode, name
        self.prototypes = [to_prefix(numbered_tree(example)) for example in known]

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return, for each problem, the equation of the nearest one that it has all the numbers for."""
        if not problems:
            return []
        nearest = nearest_rows(self.encode([problem.text for problem in problems]), self.vectors, _TRIED)
        return [self._first(problem, rows) for problem, rows in zip(problems, nearest, strict=True)]

    def _first(self, problem: ProblemRecord, rows: npt.NDArray[np.int64]) -> list[Solution]:
        applied = (self._applied(problem, self.prototypes[row]) for row in rows)
        return next((solutions for solutions in applied if solutions), [])

    def unsolvable_reason(self, _problem: ProblemRecord) -> str:
        """Return no reason: every problem can be attempted."""
        return ""

    @staticmethod
    def _applied(problem: ProblemRecord, prototype: Sequence[str]) -> list[Solution]:
        example = solver_example(ProblemRecord(problem.id, problem.text, problem.language))
        slot_of = {label: f"N{slot}" for slot, label in enumerate(number_labels(example.slots))}
        tokens = [slot_of.get(label, "") if is_number(label) else label for label in prototype]
        if not all(tokens):
            return []
        try:
            return [solution_of(tokens, example.values, 1.0)]
        except DataError:
            return []


def is_number(label: str) -> bool:
    """Return whether a label of a prototype represents a number in the text.

    ``N1.2`` is the second part of the number N1.
    """
    return is_slot(label.partition(".")[0])


def term_vectors(known: Sequence[SolverExample]) -> tuple[npt.NDArray[np.float32], Encode]:
    """Return unit TF-IDF vectors of texts, and a function to encode other texts; all numbers are the same term."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer=_terms, dtype=np.float32)
    vectors = vectorizer.fit_transform([example.problem.text for example in known]).toarray()

    def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        encoded: npt.NDArray[np.float32] = vectorizer.transform(texts).toarray()
        return encoded

    return vectors, encode


def _terms(text: str) -> list[str]:
    tokens = text_tokens(solver_example(ProblemRecord("", text)))
    return ["#" if is_slot(token) else token for token in tokens]


def retrieval_solvers(frozen: Encode | None) -> dict[str, SolverFor]:
    """Return the baselines: the nearest problem by TF-IDF and, given an encoder, by its vectors."""
    solvers: dict[str, SolverFor] = {"retrieve_tfidf": _by_terms}
    if frozen is not None:
        solvers["retrieve_encoder"] = partial(_by_vectors, _remembering(frozen))
    return solvers


def _remembering(encode: Encode) -> Encode:
    """Cache the vector of each text, since folds share most of their texts."""
    vectors: dict[str, npt.NDArray[np.float32]] = {}

    def encode_new(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in vectors]
        if new:
            vectors.update(zip(new, encode(new), strict=True))
        return np.stack([vectors[text] for text in texts])

    return encode_new


def _by_terms(learned: Sequence[ProblemRecord]) -> ProblemSolver:
    examples = solver_examples(learned)
    vectors, encode = term_vectors(examples)
    return RetrieveAndApply(examples, vectors, encode, name="retrieve_tfidf")


def _by_vectors(frozen: Encode, learned: Sequence[ProblemRecord]) -> ProblemSolver:
    examples = solver_examples(learned)
    vectors = frozen([example.problem.text for example in examples])
    return RetrieveAndApply(examples, vectors, frozen, name="retrieve_encoder")


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
    from questionbank.solving.solution_files import SolverByLanguage

    return SolverByLanguage(solved=learned)


def _solver(model: str) -> tuple[str, ProblemSolver | None]:
    """Return a name and a solver; None for only the baselines."""
    from questionbank.solving.solution_files import solver_by_name  # imports Django, which reproductions do without

    if model == "none":
        return "", None
    solver = solver_by_name(model)
    return Path(model).name if Path(model).is_dir() else solver.name, solver
