"""Fitting a solver's confidence on problems set apart, and measuring how far it is off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.linear_model import LogisticRegression

from analytics.solver.confidence import Confidence, confidence_features
from analytics.solver.solution import Solution
from analytics.solver.targets import SolverExample, answers_agree, value_of

__all__ = ["Calibration", "calibration_error", "fit_confidence"]

_FOLDS = 5
_LEAST_PROBLEMS = 50


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted confidence and how far it is off.

    Attributes:
        confidence: fitted on all problems.
        error: expected calibration error of the first solutions, each by a curve fitted on the other folds.
        error_before: the same of the search's own probabilities.
        problems: with at least one solution.
    """

    confidence: Confidence
    error: float
    error_before: float
    problems: int

    def as_metrics(self) -> dict[str, float]:
        """Return the figures for a manifest."""
        return {
            "calibration_error": round(self.error, 4),
            "calibration_error_before": round(self.error_before, 4),
            "problems": self.problems,
        }


def calibration_error(probabilities: Sequence[float], is_right: Sequence[bool], bins: int = 10) -> float:
    """Return the expected calibration error over bins of equal width.

    Guo et al., "On Calibration of Modern Neural Networks" (2017), Eq. 3.

    >>> calibration_error([0.85, 0.85, 0.25], [True, False, False])
    0.31666666666666665
    """
    values, right = np.asarray(probabilities, dtype=float), np.asarray(is_right, dtype=float)
    if not len(values):
        return 0.0
    places = np.minimum((values * bins).astype(int), bins - 1)
    gaps = [abs(float((values - right)[places == place].sum())) for place in range(bins)]
    return sum(gaps) / len(values)


def fit_confidence(
    examples: Sequence[SolverExample], solutions: Sequence[Sequence[Solution]]
) -> Calibration | None:
    """Fit a confidence on problems with a known equation that were not learned from.

    Args:
        examples: the problems.
        solutions: for each what the solver says, with the search's probabilities.

    Returns:
        None where there are fewer than 50 problems, or all solutions are right, or all wrong.
    """
    rows = [
        (own, [_is_right(example, solution) for solution in own])
        for example, own in zip(examples, solutions, strict=True)
        if own
    ]
    labels = [right for _own, all_right in rows for right in all_right]
    if len(rows) < _LEAST_PROBLEMS or len(set(labels)) < 2:
        return None
    first_right = [all_right[0] for _own, all_right in rows]
    crossed = [0.0] * len(rows)
    for fold in range(_FOLDS):
        others = [row for number, row in enumerate(rows) if number % _FOLDS != fold]
        confidence = _fitted(others)
        for number in range(fold, len(rows), _FOLDS):
            own = rows[number][0]
            [first] = [solution for solution in confidence.applied(own) if solution.tokens == own[0].tokens]
            crossed[number] = first.probability
    return Calibration(
        confidence=_fitted(rows),
        error=calibration_error(crossed, first_right),
        error_before=calibration_error([own[0].probability for own, _right in rows], first_right),
        problems=len(rows),
    )


def _fitted(rows: Sequence[tuple[Sequence[Solution], Sequence[bool]]]) -> Confidence:
    """Fit one curve to the solutions of all problems."""
    features = np.array([feature for own, _right in rows for feature in confidence_features(own)])
    labels = np.array([right for _own, all_right in rows for right in all_right], dtype=int)
    if len(np.unique(labels)) < 2:  # of one kind: as likely as seen
        share = (labels.sum() + 1) / (len(labels) + 2)
        return Confidence((0.0,) * features.shape[1], float(np.log(share / (1 - share))))
    fitted = LogisticRegression(C=10.0, max_iter=1000).fit(features, labels)
    return Confidence(tuple(float(weight) for weight in fitted.coef_[0]), float(fitted.intercept_[0]))


def _is_right(example: SolverExample, solution: Solution) -> bool:
    wanted = value_of(example.tokens, example.values)
    return wanted is not None and solution.value is not None and answers_agree(wanted, solution.value)
