"""Which of two questions on a topic is harder: a score for each, and a probability from their difference.

The model is that of Bradley and Terry (1952): a question with score s is harder than one with score t with
probability 1 / (1 + exp(t - s)). `analytics.probes.order` fits it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.inference.demands import demand_counts, words_of

CANNOT_TELL = 0.1
"""Distance from one half below which a probability is inconclusive."""

LARGEST_DEMAND = 2.0  # standard deviations: caps the effect of extreme counts


@dataclass(frozen=True, slots=True)
class OrderHead:
    """A linear score of a question from its vector, its text's demands and words, and its estimated difficulty.

    Attributes:
        vector_weights: (dimension,).
        demand_weights: (demands,), for `demand_counts`, in standard deviations from the centre.
        demand_centre: (demands,).
        demand_spread: (demands,), their standard deviations.
        words: words that count if a text contains them.
        word_weights: (words,).
        difficulty_weight: for the estimated difficulty as a share of its scale, from 0 to 1.
    """

    vector_weights: np.ndarray
    demand_weights: np.ndarray
    demand_centre: np.ndarray
    demand_spread: np.ndarray
    words: tuple[str, ...]
    word_weights: np.ndarray
    difficulty_weight: float

    def scores(self, vectors: np.ndarray, texts: Sequence[str], difficulties: np.ndarray) -> np.ndarray:
        """Return (questions,) scores; only their differences are meaningful.

        Args:
            vectors: (questions, dimension).
            texts: of the questions.
            difficulties: (questions,) estimates as shares of their scale.
        """
        demands = scaled_demands(texts, self.demand_centre, self.demand_spread)
        scores: np.ndarray = (
            vectors @ self.vector_weights
            + demands @ self.demand_weights
            + said_words(texts, self.words) @ self.word_weights
            + difficulties * self.difficulty_weight
        )
        return scores


def scaled_demands(texts: Sequence[str], centre: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return (texts, demands) counts in standard deviations from the centre, capped at `LARGEST_DEMAND`."""
    return np.clip((demand_counts(texts) - centre) / spread, -LARGEST_DEMAND, LARGEST_DEMAND)


def said_words(texts: Sequence[str], words: Sequence[str]) -> np.ndarray:
    """Return (texts, words): 1 if the text contains the word, else 0."""
    place = {word: column for column, word in enumerate(words)}
    said = np.zeros((len(texts), len(words)), dtype=np.float32)
    for row, text in enumerate(texts):
        said[row, [place[word] for word in words_of(text) if word in place]] = 1
    return said


def harder_probability(score: float, other: float) -> float:
    """Return the probability that the question with the first score is harder than the other.

    >>> harder_probability(1.0, 1.0)
    0.5
    """
    return float(1 / (1 + np.exp(np.clip(other - score, -30, 30))))
