"""Fit a solver's confidence on held-out problems, and measure its calibration error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from analytics.artifacts import artifact_amend, artifact_read
from analytics.errors import DataError
from analytics.expression.evaluate import answers_agree
from analytics.metrics import expected_calibration_error
from analytics.question_files import read_problems
from analytics.solver.confidence import Confidence, confidence_features, save_confidence
from analytics.solver.config import SolverConfig
from analytics.solver.served import load_solver
from analytics.solver.solution import Solution
from analytics.solver.targets import SolverExample, solver_examples, value_of

_FOLDS = 5
_LEAST_PROBLEMS = 50
_LEAST_SET = 20  # problems


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted confidence and its calibration error.

    Attributes:
        confidence: the curve fitted on all problems.
        error: expected calibration error of the first solutions, each predicted by a curve fitted on the
            other folds.
        error_before: the same for the search's own probabilities.
        problems: number of problems with at least one solution.
    """

    confidence: Confidence
    error: float
    error_before: float
    problems: int

    def as_metrics(self) -> dict[str, float]:
        """Return the metrics for a manifest."""
        return {
            "calibration_error": round(self.error, 4),
            "calibration_error_before": round(self.error_before, 4),
            "problems": self.problems,
        }


def fit_confidence(examples: Sequence[SolverExample], solutions: Sequence[Sequence[Solution]]) -> Calibration | None:
    """Fit a confidence on held-out problems with a known equation.

    If ids name the data set of a problem (``SET/...``), each set has equal weight: a confidence fitted on
    many long problems and few short ones is too low for the short ones. Sets of fewer than 20 problems are
    merged into one.

    Args:
        examples: the problems.
        solutions: the solver's solutions for each problem, with the search's probabilities.

    Returns:
        The calibration; None if there are fewer than 50 problems, or the first solutions are all right or all
        wrong.
    """
    solved = [(example, candidates) for example, candidates in zip(examples, solutions, strict=True) if candidates]
    weights = _weights([example.problem.id for example, _candidates in solved])
    rows = [
        _Row(candidates, _is_right(example, candidates[0]), weight)
        for (example, candidates), weight in zip(solved, weights, strict=True)
    ]
    first_right = [row.is_right for row in rows]
    if len(rows) < _LEAST_PROBLEMS or len(set(first_right)) < 2:
        return None
    crossed = [0.0] * len(rows)
    for fold in range(_FOLDS):
        others = [row for number, row in enumerate(rows) if number % _FOLDS != fold]
        confidence = _fitted(others)
        for number in range(fold, len(rows), _FOLDS):
            crossed[number] = confidence.applied(rows[number].solutions)[0].probability
    return Calibration(
        confidence=_fitted(rows),
        error=_error(crossed, first_right),
        error_before=_error([row.solutions[0].probability for row in rows], first_right),
        problems=len(rows),
    )


def _error(probabilities: Sequence[float], is_right: Sequence[bool]) -> float:
    return expected_calibration_error(np.array(probabilities), np.array(is_right), bins=10)


@dataclass(frozen=True, slots=True)
class _Row:
    """A problem's solutions, whether the first is right, and the problem's weight."""

    solutions: Sequence[Solution]
    is_right: bool
    weight: float


def _weights(ids: Sequence[str]) -> list[float]:
    """Return a weight for each problem, so that those of each set add up to 1."""
    named = [identifier.partition("/")[0] if "/" in identifier else "" for identifier in ids]
    sizes = Counter(named)
    sets = [name if sizes[name] >= _LEAST_SET else "" for name in named]
    sizes = Counter(sets)
    return [1 / sizes[name] for name in sets]


def _fitted(rows: Sequence[_Row]) -> Confidence:
    """Fit the curve to the first solution of each problem: its probability is the one shown to people."""
    features = np.array([confidence_features(row.solutions)[0] for row in rows])
    labels = np.array([row.is_right for row in rows], dtype=int)
    weights = np.array([row.weight for row in rows])
    weights *= len(weights) / weights.sum()
    if len(np.unique(labels)) < 2:  # all of one kind: use the observed share
        share = (labels.sum() + 1) / (len(labels) + 2)
        return Confidence((0.0,) * features.shape[1], float(np.log(share / (1 - share))))
    fitted = LogisticRegression(C=10.0, max_iter=1000).fit(features, labels, sample_weight=weights)
    return Confidence(tuple(float(weight) for weight in fitted.coef_[0]), float(fitted.intercept_[0]))


def _is_right(example: SolverExample, solution: Solution) -> bool:
    return answers_agree(value_of(example.tokens, example.values), solution.quotient)


def refit(model: Path, problems: Path) -> Calibration:
    """Refit the confidence in a solver's folder on problems that it was not trained on.

    Args:
        problems: a file, or a folder from which the validation problems are used.

    Raises:
        ArtifactError, DataError: the model or the problems cannot be read, or there are too few problems or
            they are too alike.
    """
    solver, manifest = load_solver(model), artifact_read(model)
    solver.confidence = None
    parts = read_problems(problems)
    examples = solver_examples(parts.validation if problems.is_dir() else parts.learned)
    beam = int(manifest.config.get("beam", SolverConfig().beam))
    calibration = fit_confidence(examples, solver.solve([example.problem for example in examples], beam=beam))
    if calibration is None:
        raise DataError("There are too few problems, or their first solutions are all right or all wrong.")
    metrics = {**manifest.metrics, "confidence": calibration.as_metrics()}
    artifact_amend(model, replace(manifest, metrics=metrics), partial(save_confidence, calibration.confidence))
    return calibration
