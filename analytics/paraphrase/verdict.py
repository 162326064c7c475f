"""A probability that a paraphrase is valid, from the score and the findings together. Torch-free.

Logistic regression: the cosine is blind to one changed number, the findings are blind to what no rule knows. It is
fitted on operators' pairs of questions that the encoder did not learn from, and on people's decisions, and stands
beside the paper's plain score, not instead of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from analytics.errors import ArtifactError, DataError
from analytics.paraphrase.finding import Finding, Kind

__all__ = ["FEATURES", "Verdict", "fit_verdict", "verdict_features"]

_KINDS: tuple[str, ...] = get_args(Kind)
_MOST = 2  # findings of a kind; more say no more
_ROUNDS = 50

FEATURES = (
    "score",
    "shorter",
    *(f"serious {kind}" for kind in _KINDS),
    *(f"slight {kind}" for kind in _KINDS),
)
"""What is weighed: the cosine; by how much the paraphrase is shorter; findings of each kind, at most two."""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Verdict:
    """The fitted regression.

    Attributes:
        weights: one for each of `FEATURES`.
        bias: log-odds where all features are 0.
        pairs: number of pairs that it was fitted on.
    """

    weights: tuple[float, ...]
    bias: float
    pairs: int = 0

    def probabilities(self, features: npt.ArrayLike) -> Array:
        """Probability that each pair is valid.

        Args:
            features: (pairs, len(FEATURES)).
        """
        rows = np.asarray(features, dtype=np.float64).reshape(-1, len(FEATURES))
        return _sigmoid(rows @ np.array(self.weights) + self.bias)

    def as_dict(self) -> dict[str, Any]:
        """The weights by feature, as plain values."""
        weights = {name: round(one, 6) for name, one in zip(FEATURES, self.weights, strict=True)}
        return {"weights": weights, "bias": round(self.bias, 6), "pairs": self.pairs}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Verdict:
        """Read what `as_dict` gave.

        Raises:
            ArtifactError: a feature's weight is missing, or is no number.
        """
        try:
            found = {name: float(body["weights"][name]) for name in FEATURES}
            bias, pairs = float(body["bias"]), int(body.get("pairs", 0))
        except (KeyError, TypeError, ValueError) as error:
            raise ArtifactError(f"The verdict of the scorer cannot be read: {error}.") from error
        if not all(map(math.isfinite, (*found.values(), bias))):
            raise ArtifactError("The verdict of the scorer has a weight that is not a number.")
        return cls(tuple(found.values()), bias, pairs)


def verdict_features(
    score: float, findings: Sequence[Finding], original: str, paraphrase: str
) -> tuple[float, ...]:
    """What the verdict weighs of one pair, in the order of `FEATURES`."""
    counts = [
        min(_MOST, sum(one.kind == kind and one.is_serious == serious for one in findings))
        for serious in (True, False)
        for kind in _KINDS
    ]
    shorter = max(0.0, math.log((1 + len(original.split())) / (1 + len(paraphrase.split()))))
    return (float(score), shorter, *map(float, counts))


def fit_verdict(
    features: Sequence[Sequence[float]], labels: Sequence[int], *, penalty: float = 1.0
) -> Verdict:
    """Fit the regression by Newton's method, both labels with equal weight.

    Args:
        features: one row a pair, as `verdict_features` gives it.
        labels: 1 valid, 0 not.
        penalty: on the squares of the weights of standardised features.

    Raises:
        DataError: one of the labels is missing, or a feature is no finite number.
    """
    rows, truth = np.asarray(features, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    if set(truth.tolist()) != {0.0, 1.0} or rows.shape != (len(truth), len(FEATURES)):
        raise DataError("The verdict needs pairs of both labels, with all features.")
    if not np.isfinite(rows).all():
        raise DataError("The verdict needs finite features.")
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread == 0] = 1.0  # a feature that never changes gets no weight
    design = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    balance = np.where(truth == 1, 0.5 / truth.mean(), 0.5 / (1 - truth.mean()))
    ridge = np.diag([penalty] * len(FEATURES) + [0.0])
    solution = np.zeros(design.shape[1])
    for _round in range(_ROUNDS):
        expected = _sigmoid(design @ solution)
        slope = design.T @ (balance * (truth - expected)) - ridge @ solution
        curvature = (design * (balance * expected * (1 - expected))[:, None]).T @ design + ridge
        curvature[-1, -1] += 1e-9
        step = np.linalg.solve(curvature, slope)
        solution += step / max(1.0, float(np.abs(step).max()) / 2)  # Newton overshoots far from the optimum
        if np.abs(step).max() < 1e-8:
            break
    weights = solution[:-1] / spread
    return Verdict(tuple(weights.tolist()), float(solution[-1] - weights @ mean), len(truth))


def _sigmoid(values: Array) -> Array:
    positive = np.exp(-np.abs(values))
    return np.where(values >= 0, 1 / (1 + positive), positive / (1 + positive))
