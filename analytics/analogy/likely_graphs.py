"""Which problems of a corpus are probably computed as a question is, given the graphs that the question may have.

Ours, torch-free. The paper ranks by the retriever's cosine alone (Eq. 2). Here a problem also counts for the
probability that it has the question's graph, and for the probability that it has its very equation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import ComputationalGraph

__all__ = ["PROBABILITY_WEIGHT", "CorpusGraphs", "LikelyGraphs"]

Floats = npt.NDArray[np.float64]

LikelyGraphs = Sequence[tuple[ComputationalGraph, float]]
"""Graphs that a question may have, each with its probability; empty where nothing is known."""

PROBABILITY_WEIGHT = 2.0
"""Weight of each of the two probabilities relative to the cosine: decision 64."""


class CorpusGraphs:
    """The graphs of a corpus, by key.

    Args:
        graphs: of its problems; None where a problem's is not known.
    """

    def __init__(self, graphs: Sequence[ComputationalGraph | None]) -> None:
        self._with_graph = _rows([None if graph is None else graph.graph for graph in graphs])
        self._with_equation = _rows([None if graph is None else graph.prototype for graph in graphs])

    def scores(self, cosines: npt.NDArray[np.floating], likely: LikelyGraphs) -> Floats:
        """Return what the problems are ranked by for one question, in [-1, 1].

        Args:
            cosines: (problems,) of the question's vector and theirs.
            likely: graphs of the question.

        Returns:
            (problems,) the weighted mean of the cosine, the probability of the same graph and that of the same
            equation.
        """
        scores = cosines.astype(np.float64)
        for rows_of, probabilities in (
            (self._with_graph, _totals((graph.graph, probability) for graph, probability in likely)),
            (self._with_equation, _totals((graph.prototype, probability) for graph, probability in likely)),
        ):
            for key, probability in probabilities.items():
                if key in rows_of:
                    scores[rows_of[key]] += PROBABILITY_WEIGHT * probability
        return scores / (1 + 2 * PROBABILITY_WEIGHT)


def _totals(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    """The probability of each key, at most 1: those of a solver need not add up to less."""
    totals: defaultdict[str, float] = defaultdict(float)
    for key, probability in pairs:
        totals[key] += probability
    return {key: min(1.0, total) for key, total in totals.items()}


def _rows(keys: Sequence[str | None]) -> dict[str, npt.NDArray[np.int64]]:
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if key is not None:
            rows[key].append(row)
    return {key: np.array(own, dtype=np.int64) for key, own in rows.items()}
