"""Which problems of a corpus are probably computed as a question is, given the graphs that the question may have.

Ours, torch-free. The paper ranks by the retriever's cosine alone (Eq. 2). Here a problem also counts for the
probability that it has the question's graph, and for the probability that it has its very equation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import ComputationalGraph

__all__ = ["PROBABILITY_WEIGHT", "CorpusGraphs", "LikelyGraphs"]

Floats = npt.NDArray[np.float64]

LikelyGraphs = Sequence[tuple[ComputationalGraph, float]]
"""Graphs that a question may have, each with its probability; empty where nothing is known."""

PROBABILITY_WEIGHT = 2.0
"""Of the probability of the same graph, and of that of the same equation, beside a cosine: decision 64."""


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
            likely: graphs of the question. Without any the cosines are returned.

        Returns:
            (problems,) the weighted mean of the cosine, the probability of the same graph and that of the same
            equation.
        """
        scores = cosines.astype(np.float64)
        if not likely:
            return scores
        for graph, probability in likely:
            scores[self._with_graph.get(graph.graph, [])] += PROBABILITY_WEIGHT * probability
            scores[self._with_equation.get(graph.prototype, [])] += PROBABILITY_WEIGHT * probability
        return scores / (1 + 2 * PROBABILITY_WEIGHT)


def _rows(keys: Sequence[str | None]) -> dict[str, list[int]]:
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if key is not None:
            rows[key].append(row)
    return dict(rows)
