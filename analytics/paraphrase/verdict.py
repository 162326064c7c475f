"""A probability that a paraphrase is valid, from the score and the findings together. Torch-free.

Logistic regression: the cosine is blind to one changed number, the findings are blind to what no rule knows. It is
fitted on operators' pairs of questions that the encoder did not learn from, and on people's decisions, and stands
beside the paper's plain score, not instead of it. No finding may speak for a paraphrase, and no cosine against it.
A finding weighs as much as the texts share words: in a near copy it is the change itself, in a free rewording it may be
another way to say the same (decision 34).

On the same pairs the score may be stretched (`stretched`), so that the paper's threshold of 0.5 divides them evenly.
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
from analytics.paraphrase.wording import shared_words

__all__ = [
    "COLUMNS",
    "FEATURES",
    "UNSTRETCHED",
    "Verdict",
    "fit_boundary",
    "fit_verdict",
    "stretched",
    "verdict_features",
]

UNSTRETCHED = 0.5
"""The boundary with which a stretched cosine is the cosine."""

_BEND = -0.9  # scores below are pressed together
_OPPOSITE = 2.0  # the greatest distance
_KINDS: tuple[str, ...] = get_args(Kind)
_MOST = 2  # findings of a kind; more say no more
_ROUNDS = 50

FEATURES = (
    "score",
    "shorter",
    *(f"serious {kind}" for kind in _KINDS),
    *(f"slight {kind}" for kind in _KINDS),
    "unrelated words",
)
"""What is weighed: the score; by how much the paraphrase is shorter; findings of each kind, at most two, without words
that were replaced; how unrelated those are to what stood there, at most two."""

COLUMNS = (*FEATURES, "shared words")
"""What is known of a pair: the features, and the share of its words that both texts have, by which all features but the
score are multiplied."""

Array = npt.NDArray[np.float64]

_SIGNS = np.array([1.0] + [-1.0] * (len(FEATURES) - 1))


@dataclass(frozen=True)
class Verdict:
    """The fitted regression.

    Attributes:
        weights: one for each of `FEATURES`.
        bias: log-odds where all features are 0.
        pairs: number of pairs that it was fitted on.
        boundary: the cosine that a score of 0.5 stands for.
        by_shared_words: features are multiplied by the share of words that both texts have; those of older scorers
            are not.
    """

    weights: tuple[float, ...]
    bias: float
    pairs: int = 0
    boundary: float = UNSTRETCHED
    by_shared_words: bool = True

    def probabilities(self, features: npt.ArrayLike) -> Array:
        """Probability that each pair is valid.

        Args:
            features: (pairs, len(COLUMNS)).
        """
        rows = _weighed(np.asarray(features, dtype=np.float64), self.by_shared_words)
        return _sigmoid(rows @ np.array(self.weights) + self.bias)

    def as_dict(self) -> dict[str, Any]:
        """The weights by feature, as plain values."""
        weights = {name: round(one, 6) for name, one in zip(FEATURES, self.weights, strict=True)}
        return {
            "weights": weights,
            "bias": round(self.bias, 6),
            "pairs": self.pairs,
            "boundary": round(self.boundary, 6),
            "by_shared_words": self.by_shared_words,
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Verdict:
        """Read what `as_dict` gave.

        A feature that an older scorer does not know has no weight.

        Raises:
            ArtifactError: the score's weight is missing, or a weight is no number.
        """
        try:
            weights = {"score": body["weights"]["score"]} | body["weights"]
            found = {name: float(weights.get(name, 0.0)) for name in FEATURES}
            bias, pairs = float(body["bias"]), int(body.get("pairs", 0))
            boundary = float(body.get("boundary", UNSTRETCHED))
            by_shared_words = bool(body.get("by_shared_words", False))
        except (KeyError, TypeError, ValueError) as error:
            raise ArtifactError(f"The verdict of the scorer cannot be read: {error}.") from error
        if not all(map(math.isfinite, (*found.values(), bias, boundary))) or boundary >= 1:
            raise ArtifactError("The verdict of the scorer has a weight that is not a number.")
        return cls(tuple(found.values()), bias, pairs, boundary, by_shared_words)


def verdict_features(
    score: float, findings: Sequence[Finding], original: str, paraphrase: str, unrelated: float = 0.0
) -> tuple[float, ...]:
    """What the verdict weighs of one pair, in the order of `COLUMNS`.

    `unrelated` is what `analytics.paraphrase.replaced_words.judge_replaced` says of the words that were replaced.
    """
    counted = [one for one in findings if (one.kind, one.change) != ("wording", "changed")]
    counts = [
        min(_MOST, sum(one.kind == kind and one.is_serious == serious for one in counted))
        for serious in (True, False)
        for kind in _KINDS
    ]
    shorter = max(0.0, math.log((1 + len(original.split())) / (1 + len(paraphrase.split()))))
    return (
        float(score),
        shorter,
        *map(float, counts),
        min(float(unrelated), _MOST),
        shared_words(original, paraphrase),
    )


def stretched(cosines: npt.ArrayLike, boundary: float) -> Array:
    """Map cosines so that 1 stays 1, the boundary becomes 0.5 and the order stays what it is.

    What would lie below -0.9 is pressed into what is left down to -1, which only opposite vectors reach.

    >>> stretched([1.0, 0.9, 0.8, 0.0, -1.0], boundary=0.9).round(2).tolist()
    [1.0, 0.5, 0.0, -0.94, -1.0]
    """
    distances = 1 - np.asarray(cosines, dtype=np.float64)
    steep = 1 - distances * 0.5 / (1 - boundary)
    bend = (1 - _BEND) * (1 - boundary) / 0.5  # the distance there
    if bend >= _OPPOSITE:
        return steep
    flat = _BEND - (1 + _BEND) * (distances - bend) / (_OPPOSITE - bend)
    return np.where(distances <= bend, steep, flat)


def fit_boundary(cosines: Sequence[float], labels: Sequence[int]) -> float:
    """The cosine at which both labels are equally probable, both with equal weight.

    Raises:
        DataError: as `fit_verdict`.
    """
    weights, bias = _regress(np.asarray(cosines, dtype=np.float64)[:, None], labels, penalty=1.0)
    if weights[0] <= 0:
        return UNSTRETCHED  # the cosine tells nothing
    return float(np.clip(-bias / weights[0], 0.0, 0.99))


def fit_verdict(
    features: Sequence[Sequence[float]],
    labels: Sequence[int],
    *,
    penalty: float = 1.0,
    boundary: float = UNSTRETCHED,
) -> Verdict:
    """Fit the regression by Newton's method, both labels with equal weight.

    A feature whose weight would have the wrong sign is left out: the score may only speak for a paraphrase, findings
    and lost words only against it.

    Args:
        features: one row a pair, as `verdict_features` gives it.
        labels: 1 valid, 0 not.
        penalty: on the squares of the weights of standardised features.
        boundary: with which the scores among the features were stretched.

    Raises:
        DataError: one of the labels is missing, or a feature is no finite number.
    """
    rows = np.asarray(features, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(COLUMNS):
        raise DataError("The verdict needs pairs with all features.")
    rows = _weighed(rows, by_shared_words=True)
    used = np.arange(len(FEATURES))
    while True:
        found, bias = _regress(rows[:, used], labels, penalty)
        fits = found * _SIGNS[used] >= 0
        if fits.all():
            break
        used = used[fits]
    weights = np.zeros(len(FEATURES))
    weights[used] = found
    return Verdict(tuple(weights.tolist()), bias, len(rows), boundary)


def _weighed(rows: Array, by_shared_words: bool) -> Array:
    """Features (pairs, len(FEATURES)) of rows (pairs, len(COLUMNS))."""
    rows = rows.reshape(-1, len(COLUMNS))
    scores, others, shared = rows[:, :1], rows[:, 1:-1], rows[:, -1:]
    return np.hstack([scores, others * shared if by_shared_words else others])


def _regress(rows: Array, labels: Sequence[int], penalty: float) -> tuple[Array, float]:
    """Weights and bias of a logistic regression."""
    truth = np.asarray(labels, dtype=np.float64)
    if set(truth.tolist()) != {0.0, 1.0} or len(rows) != len(truth):
        raise DataError("The verdict needs pairs of both labels.")
    if not np.isfinite(rows).all():
        raise DataError("The verdict needs finite features.")
    mean, spread = rows.mean(axis=0), rows.std(axis=0)
    spread[spread == 0] = 1.0  # a feature that never changes gets no weight
    design = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    balance = np.where(truth == 1, 0.5 / truth.mean(), 0.5 / (1 - truth.mean()))
    ridge = np.diag([penalty] * rows.shape[1] + [0.0])
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
    return weights, float(solution[-1] - weights @ mean)


def _sigmoid(values: Array) -> Array:
    positive = np.exp(-np.abs(values))
    return np.where(values >= 0, 1 / (1 + positive), positive / (1 + positive))
