"""Learn which of two questions on a topic is harder from ladders: logistic regression on differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from analytics.inference.demands import OrderHead, demand_counts, said_words, scaled_demands, words_of
from analytics.inference.heads import ProbeHeads
from analytics.splits import grouped_folds

LADDERS = Path(__file__).with_name("ladders.txt")
LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Ladder:
    """Questions on one topic, from easiest to hardest."""

    topic: str
    questions: tuple[str, ...]


@cache
def read_ladders() -> tuple[Ladder, ...]:
    """Load the ladders, in file order."""
    blocks = LADDERS.read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(
        Ladder(topic.removeprefix("# "), tuple(questions))
        for topic, *questions in (block.splitlines() for block in blocks)
    )


def ladder_texts() -> list[str]:
    """Return the questions of all ladders, one ladder after another."""
    return [question for ladder in read_ladders() for question in ladder.questions]


PENALTIES = (10.0, 20.0, 40.0)
SURE = 0.8  # probability from which a prediction counts as sure
_FOLDS = 10
_VECTOR_SCALE, _WORD_SCALE, _DIFFICULTY_SCALE = 0.35, 1.5, 8.0  # so that a single penalty suits all
_FEWEST = 5  # minimum number of questions that contain a word for it to count
_LEAST_SPREAD = 0.05


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of rungs, as indices in the list of texts.

    Attributes:
        easier: (pairs,) indices of the easier questions.
        harder: (pairs,) indices of the harder questions.
        topics: (pairs,) topic numbers; splits keep topics together.
        steps: (pairs,) number of rungs from one to the other; 1 for neighbours.
        weights: (pairs,) weights that make a question count the same on a short and on a long ladder.
    """

    easier: np.ndarray
    harder: np.ndarray
    topics: np.ndarray
    steps: np.ndarray
    weights: np.ndarray


def ladder_pairs() -> Pairs:
    """Return all pairs of questions on the same ladder."""
    rows: list[tuple[int, int, int, int, float]] = []
    topics: dict[str, int] = {}
    start = 0
    for ladder in read_ladders():
        rungs = range(start, start + len(ladder.questions))
        topic = topics.setdefault(ladder.topic, len(topics))
        rows += [(low, high, topic, high - low, 2 / (len(rungs) - 1)) for low, high in combinations(rungs, 2)]
        start = rungs.stop
    easier, harder, of_topic, steps, weights = zip(*rows, strict=True)
    return Pairs(
        np.array(easier), np.array(harder), np.array(of_topic), np.array(steps), np.array(weights, dtype=float)
    )


def fit_order(heads: ProbeHeads, vectors: np.ndarray, seed: int = 0) -> tuple[OrderHead, dict[str, float]]:
    """Fit the order of questions on the ladders.

    Args:
        heads: their difficulty estimates are a feature, if they have a difficulty head.
        vectors: (texts, dimension) of `ladder_texts`, from the heads' encoder.
        seed: seed of the folds.

    Returns:
        The head, and its metrics on left-out topics.
    """
    texts, pairs = ladder_texts(), ladder_pairs()
    counts = demand_counts(texts)
    centre, spread = counts.mean(axis=0), np.maximum(counts.std(axis=0), _LEAST_SPREAD)
    uses = Counter(word for text in texts for word in words_of(text))
    words = tuple(sorted(word for word, count in uses.items() if count >= _FEWEST))
    vector_scale = _VECTOR_SCALE * np.sqrt(vectors.shape[1])
    features = np.concatenate(
        (
            vectors * vector_scale,
            scaled_demands(texts, centre, spread),
            said_words(texts, words) * _WORD_SCALE,
            heads.difficulty_shares(vectors, texts)[:, None] * _DIFFICULTY_SCALE,
        ),
        axis=1,
    ).astype(np.float64)
    differences = features[pairs.harder] - features[pairs.easier]
    with threadpool_limits(1):  # several threads are slower for such small products, and far slower on a busy machine
        weights, left_out = _chosen_fit(differences, pairs, seed)
    of_vector, of_demands, of_words, of_difficulty = np.split(
        weights, np.cumsum([vectors.shape[1], counts.shape[1], len(words)])
    )
    head = OrderHead(
        vector_weights=(of_vector * vector_scale).astype(np.float32),
        demand_weights=of_demands.astype(np.float32),
        demand_centre=centre.astype(np.float32),
        demand_spread=spread.astype(np.float32),
        words=words,
        word_weights=(of_words * _WORD_SCALE).astype(np.float32),
        difficulty_weight=float(of_difficulty[0] * _DIFFICULTY_SCALE),
    )
    return head, _figures(left_out, pairs)


def _chosen_fit(differences: np.ndarray, pairs: Pairs, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights for the best penalty, and each pair's prediction without its topic."""
    folds = grouped_folds(pairs.topics, _FOLDS, np.random.default_rng(seed))
    left_out = {penalty: _left_out(differences, pairs.weights, folds, penalty) for penalty in PENALTIES}
    penalty = min(PENALTIES, key=lambda each: _loss(left_out[each], pairs.weights))
    return _fit(differences, pairs.weights, penalty), left_out[penalty]


def _fit(differences: np.ndarray, weights: np.ndarray, penalty: float) -> np.ndarray:
    """Return the weights that minimise the weighted logistic loss plus half the penalty times their squares."""
    from scipy.optimize import minimize  # takes a third of a second to import, which pages need not wait for

    def loss(guess: np.ndarray) -> tuple[float, np.ndarray]:
        margins = differences @ guess
        wrong = weights / (1 + np.exp(np.clip(margins, -30, 30)))
        value = weights @ np.logaddexp(0, -margins) + penalty / 2 * guess @ guess
        return float(value), penalty * guess - differences.T @ wrong

    start = np.zeros(differences.shape[1])
    found: np.ndarray = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    return found


def _left_out(differences: np.ndarray, weights: np.ndarray, folds: np.ndarray, penalty: float) -> np.ndarray:
    """Return for each pair the probability of its true order, from a fit without its topic."""
    margins = np.zeros(len(differences))
    for fold in range(_FOLDS):
        held = folds == fold
        margins[held] = differences[held] @ _fit(differences[~held], weights[~held], penalty)
    probabilities: np.ndarray = 1 / (1 + np.exp(-np.clip(margins, -30, 30)))
    return probabilities


def _loss(probabilities: np.ndarray, weights: np.ndarray) -> float:
    return float(-(weights @ np.log(probabilities)) / weights.sum())


def _figures(probabilities: np.ndarray, pairs: Pairs) -> dict[str, float]:
    is_right = probabilities > 0.5
    is_sure = np.maximum(probabilities, 1 - probabilities) > SURE
    return {
        "pairs": len(probabilities),
        "accuracy": float(is_right.mean()),
        "neighbours_accuracy": float(is_right[pairs.steps == 1].mean()),
        "apart_accuracy": float(is_right[pairs.steps > 1].mean()),
        "sure_share": float(is_sure.mean()),
        "sure_accuracy": float(is_right[is_sure].mean()) if is_sure.any() else 0.0,
        "log_loss": _loss(probabilities, pairs.weights),
    }
