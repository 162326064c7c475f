"""The probability that a paraphrase is valid, from the score, the reading of both texts and the findings. Torch-free.

Logistic regression: the cosine doesn't see one changed word, the cross-encoder may overlook a number, the findings
don't see what no rule knows. It is fitted on pairs that neither model learned from and on people's decisions
(`analytics.paraphrase.scoring.fitting`), and does not replace the paper's plain score. No finding may
speak for a paraphrase, and no cosine or reading against it. Only serious findings weigh, and only of those rules that
pay on pairs that people wrote (decision 47). A finding weighs as much as the texts share words: in a near copy it is
the change itself, in a free rewording it may be another way to say the same (decision 34).

The score may be stretched (`stretched`), so that the paper's threshold of 0.5 divides the pairs evenly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.errors import ArtifactError
from analytics.paraphrase.findings.finding import Finding
from analytics.paraphrase.words.wording import shared_words

UNSTRETCHED = 0.5
"""The boundary with which a stretched cosine is the cosine."""

UNCAPPED, READING_CAP = 1.0, -0.3
"""Scores above do not count as more: without a cross-encoder, and with one."""

_BEND = -0.9  # scores below are pressed together
_OPPOSITE = 2.0  # the greatest distance
_MOST = 2  # findings of a kind; more say no more

FEATURES = ("score", "reading", "shorter", "number", "unit", "entity", "target", "sense")
"""What is weighed: the score; the cross-encoder's log-odds, 0 if a scorer has none; by how much the paraphrase is
shorter; and serious findings, at most two of each: about
numbers, about units, entities that were lost or changed, a question that went missing, and another sense
(contrary or exchanged words, or a question that asks for something else)."""

NO_CHANGE_FOUND = 0.85
"""From this probability on it may be said of a pair without findings that no change was found (decision 84)."""

COLUMNS = (*FEATURES, "shared words")
"""What is known of a pair: the features, and the share of its words that both texts have, by which the counts of
findings are multiplied."""

SPEAK_FOR = ("score", "reading")
"""Features that may only speak for a paraphrase; all others speak against it."""

_AS_THEY_ARE = 3  # features that are not multiplied: score, reading, shorter
_MOST_ODDS = 8.0  # log-odds of a reading; beyond it is no surer

_FORMER = {
    "number": "serious number",
    "unit": "serious unit",
    "entity": "serious entity",
    "target": "serious target",
    "sense": "serious comparison",
}
"""What scorers of before decision 47 call their features; their weight of "shorter" was for another scale."""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Verdict:
    """The fitted regression.

    Attributes:
        weights: one for each of `FEATURES`.
        bias: log-odds where all features are 0.
        pairs: number of pairs that it was fitted on.
        boundary: the cosine that becomes a score of 0.5.
        by_shared_words: features are multiplied by the share of words that both texts have; those of older scorers
            are not.
        score_cap: a score above it counts as this. With a cross-encoder it is `READING_CAP`: one changed word leaves
            texts close, and a free rewording does not: only texts far apart say something (decision 84).
    """

    weights: tuple[float, ...]
    bias: float
    pairs: int = 0
    boundary: float = UNSTRETCHED
    by_shared_words: bool = True
    score_cap: float = UNCAPPED

    def probabilities(self, features: npt.ArrayLike) -> Array:
        """Return the probability that each pair is valid.

        Args:
            features: (pairs, len(COLUMNS)).
        """
        rows = weighed(np.asarray(features, dtype=np.float64), self.by_shared_words, self.score_cap)
        return sigmoid(rows @ np.array(self.weights) + self.bias)

    def as_dict(self) -> dict[str, Any]:
        """Return the weights by feature, as plain values."""
        weights = {name: round(weight, 6) for name, weight in zip(FEATURES, self.weights, strict=True)}
        return {
            "weights": weights,
            "bias": round(self.bias, 6),
            "pairs": self.pairs,
            "boundary": round(self.boundary, 6),
            "by_shared_words": self.by_shared_words,
            "score_cap": self.score_cap,
        }

    @classmethod
    def from_dict(cls, body: Mapping[str, Any]) -> Verdict:
        """Read what `as_dict` gave.

        Weights of features that are no longer known are left out, and an unknown feature has no weight.

        Raises:
            ArtifactError: the score's weight is missing, or a weight is no number.
        """
        try:
            weights = {"score": body["weights"]["score"]} | body["weights"]
            if _FORMER["number"] in weights:
                weights = {name: weights.get(_FORMER.get(name, name), 0.0) for name in FEATURES} | {
                    "shorter": 0.0
                }
            by_feature = {name: float(weights.get(name, 0.0)) for name in FEATURES}
            bias, pairs = float(body["bias"]), int(body.get("pairs", 0))
            boundary = float(body.get("boundary", UNSTRETCHED))
            by_shared_words = bool(body.get("by_shared_words", False))
            score_cap = float(body.get("score_cap", UNCAPPED))
        except (KeyError, TypeError, ValueError) as error:
            raise ArtifactError(f"The verdict of the scorer cannot be read: {error}.") from error
        if not all(map(math.isfinite, (*by_feature.values(), bias, boundary))) or boundary >= 1:
            raise ArtifactError("The verdict of the scorer has a weight that is not a number.")
        return cls(tuple(by_feature.values()), bias, pairs, boundary, by_shared_words, score_cap)


def verdict_features(
    score: float, findings: Sequence[Finding], original: str, paraphrase: str, *, reading: float = 0.0
) -> tuple[float, ...]:
    """Return what the verdict weighs of one pair, in the order of `COLUMNS`.

    Args:
        score: of the pair, stretched if its scorer stretches it.
        findings: of the pair.
        original, paraphrase: both texts.
        reading: the cross-encoder's log-odds that it is valid; 0 if nothing read it.
    """
    counts = dict.fromkeys(FEATURES[_AS_THEY_ARE:], 0.0)
    for finding in findings:
        name = _feature(finding)
        if name:
            counts[name] = min(_MOST, counts[name] + 1)
    shorter = max(0.0, math.log((1 + len(original.split())) / (1 + len(paraphrase.split()))))
    reading = max(-_MOST_ODDS, min(_MOST_ODDS, reading))
    return (float(score), reading, shorter, *counts.values(), shared_words(original, paraphrase))


def _feature(finding: Finding) -> str:
    """Return the feature that a finding counts for; none if it only explains."""
    if not finding.is_serious:
        return ""
    if finding.kind == "entity":
        return "" if finding.change == "added" else "entity"
    if finding.kind == "target":
        return "target" if finding.change == "lost" else "sense"
    if finding.kind == "comparison":
        return "sense"
    return finding.kind if finding.kind in FEATURES else ""


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


def weighed(rows: Array, by_shared_words: bool = True, score_cap: float = UNCAPPED) -> Array:
    """Return features (pairs, len(FEATURES)) of rows (pairs, len(COLUMNS))."""
    rows = rows.reshape(-1, len(COLUMNS))
    plain, counts, shared = rows[:, :_AS_THEY_ARE].copy(), rows[:, _AS_THEY_ARE:-1], rows[:, -1:]
    plain[:, 0] = np.minimum(plain[:, 0], score_cap)
    return np.hstack([plain, counts * shared if by_shared_words else counts])


def sigmoid(values: Array) -> Array:
    """Return the probability of log-odds, without overflow."""
    positive = np.exp(-np.abs(values))
    return np.where(values >= 0, 1 / (1 + positive), positive / (1 + positive))
