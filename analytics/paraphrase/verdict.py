"""The probability that a paraphrase is valid, from the findings and the reading of both texts. Torch-free.

Only evidence that held on pairs from authors who had no part in choosing it has weight (decision 107). All of
it concerns texts that share their wording, in which a changed word is the change itself. For a question told
in other words, no known evidence separates valid pairs from invalid ones, so such a pair gets one half. The
cosine has no weight: people who change the meaning change fewer words than people who reword.

The score may be stretched (`stretched`), so that the paper's threshold of 0.5 divides the pairs evenly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from analytics.errors import ArtifactError
from analytics.paraphrase.findings.pair import Finding
from analytics.paraphrase.words.wording import canonical, shared_share, words

UNSTRETCHED = 0.5
"""The boundary for which the stretched cosine equals the cosine."""

_BEND = -0.9  # scores below it are compressed
_OPPOSITE = 2.0  # maximum distance
_MOST = 2  # findings; more add no evidence

FEATURES = ("close", "findings", "dropped", "reading", "score", "answers")
"""The features: whether the texts share their wording; serious findings, at most two; words that the paraphrase omits
without replacement; the cross-encoder's log-odds; each of these multiplied by `closeness`. Then the unmodified score;
and 1 or -1 for whether both texts have the same answer, 0 if answers were not compared."""

SPEAK_FOR, SPEAK_AGAINST = ("reading", "score", "answers"), ("findings", "dropped")
"""Features that may only count for a paraphrase, or only against it."""

WEIGHTS = (1.02, -2.41, -5.57, 1.26, 0.0, 1.88)
"""Fitted by ``python -m tests.bench.verdict`` on seven files of pairs written by people."""

SURE = 0.7
"""A pair is called valid from this probability up, and invalid from 1 - SURE down; in between it is undecided."""

_FAR, _NEAR = 0.3, 0.5  # share of common words at which closeness begins and is complete
_MOST_ODDS = 4.0  # log-odds of a reading; higher values are capped

Array = npt.NDArray[np.float64]
Said = Literal["valid", "invalid", "unsure"]


def said(probability: float) -> Said:
    """Return the verdict for a probability.

    >>> said(0.9), said(0.5), said(0.1)
    ('valid', 'unsure', 'invalid')
    """
    if probability >= SURE:
        return "valid"
    return "invalid" if probability <= 1 - SURE else "unsure"


def closeness(shared: float) -> float:
    """Return how close the wording of texts is that share this part of their words, in [0, 1].

    >>> closeness(0.2), round(closeness(0.4), 2), closeness(0.8)
    (0.0, 0.5, 1.0)
    """
    return min(1.0, max(0.0, (shared - _FAR) / (_NEAR - _FAR)))


@dataclass(frozen=True)
class Verdict:
    """The fitted regression.

    Attributes:
        weights: one for each of `FEATURES`; there is no bias, so that a pair without evidence gets one half.
        pairs: number of this bank's decisions that the weights were fitted on.
        boundary: the cosine that maps to a score of 0.5.
    """

    weights: tuple[float, ...] = WEIGHTS
    pairs: int = 0
    boundary: float = UNSTRETCHED

    def probabilities(self, features: npt.ArrayLike) -> Array:
        """Return the probability that each pair is valid.

        Args:
            features: (pairs, len(FEATURES)).
        """
        rows = np.asarray(features, dtype=np.float64).reshape(-1, len(FEATURES))
        return sigmoid(rows @ np.array(self.weights))

    def as_dict(self) -> dict[str, Any]:
        """Return the weights by feature, as plain values."""
        weights = {name: round(weight, 6) for name, weight in zip(FEATURES, self.weights, strict=True)}
        return {"weights": weights, "pairs": self.pairs, "boundary": round(self.boundary, 6)}

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Verdict:
        """Restore a verdict from `as_dict`.

        For scorers saved before decision 107 only the boundary is used: `WEIGHTS` are better than theirs.
        Those saved before decision 129 have no weight for answers and get ours.

        Raises:
            ArtifactError: the weights are missing, or one is not a number.
        """
        try:
            given = {"answers": WEIGHTS[-1]} | {name: float(each) for name, each in body["weights"].items()}
            boundary = float(body.get("boundary", UNSTRETCHED))
            pairs = int(body.get("pairs", 0))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ArtifactError(f"The verdict of the scorer cannot be read: {error}.") from error
        if not all(map(math.isfinite, (*given.values(), boundary))) or boundary >= 1:
            raise ArtifactError("The verdict of the scorer has a weight that is not a number.")
        if given.keys() != set(FEATURES):
            return cls(boundary=boundary)
        return cls(tuple(given[name] for name in FEATURES), pairs, boundary)


def verdict_features(
    score: float,
    findings: Sequence[Finding],
    original: str,
    paraphrase: str,
    *,
    reading: float = 0.0,
    answers: float = 0.0,
) -> tuple[float, ...]:
    """Return the verdict features of one pair, in the order of `FEATURES`.

    Args:
        score: score of the pair, stretched if its scorer stretches it.
        findings: findings of the pair.
        original, paraphrase: both texts.
        reading: the cross-encoder's log-odds that it is valid; 0 if it was not read.
        answers: 1 if both texts have the same answer, -1 if not, 0 if unknown.
    """
    before, after = ({canonical(word) for word in words(text)} for text in (original, paraphrase))
    close = closeness(shared_share(before, after))
    both = len(before & after)
    dropped = max(0.0, both / max(1, len(after)) - both / max(1, len(before)))
    serious = min(_MOST, sum(finding.is_serious for finding in findings))
    read = max(-1.0, min(1.0, reading / _MOST_ODDS))
    return close, close * serious, close * dropped, close * read, float(score), float(answers)


def stretched(cosines: npt.ArrayLike, boundary: float) -> Array:
    """Map cosines so that 1 stays 1, the boundary becomes 0.5 and the order is preserved.

    Values below -0.9 are compressed into the interval down to -1, which only opposite vectors reach.

    >>> stretched([1.0, 0.9, 0.8, 0.0, -1.0], boundary=0.9).round(2).tolist()
    [1.0, 0.5, 0.0, -0.94, -1.0]
    """
    distances = 1 - np.asarray(cosines, dtype=np.float64)
    steep = 1 - distances * 0.5 / (1 - boundary)
    bend = (1 - _BEND) * (1 - boundary) / 0.5  # the distance at the bend
    if bend >= _OPPOSITE:
        return steep
    flat = _BEND - (1 + _BEND) * (distances - bend) / (_OPPOSITE - bend)
    return np.where(distances <= bend, steep, flat)


def sigmoid(values: Array) -> Array:
    """Convert log-odds to probabilities without overflow."""
    positive = np.exp(-np.abs(values))
    return np.where(values >= 0, 1 / (1 + positive), positive / (1 + positive))
