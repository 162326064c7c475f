"""Rank a corpus by how likely its problems are computed like a question, given the question's possible graphs.

Ours, torch-free. The paper ranks by the retriever's cosine alone (Eq. 2). Here a problem is also scored by
the probability that it has the question's graph, and by the probability that it has exactly its equation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import ComputationalGraph

Floats = npt.NDArray[np.float64]

LikelyGraphs = Sequence[tuple[ComputationalGraph, float]]
"""Possible graphs of a question, each with its probability; empty if nothing is known."""

_PROBABILITY_WEIGHT = 2.0  # relative to the cosine: decision 64

_NO_ROWS: npt.NDArray[np.int64] = np.array([], dtype=np.int64)
_Score = TypeVar("_Score", float, Floats)


def exemplar_score(cosine: _Score, *probabilities: _Score) -> _Score:
    """Return an exemplar's ranking score: the mean of a cosine and of probabilities with twice its weight each.

    >>> round(exemplar_score(0.4, 1.0), 2)
    0.8
    """
    total = 1 + _PROBABILITY_WEIGHT * len(probabilities)
    weighted = [_PROBABILITY_WEIGHT * probability for probability in probabilities]
    return sum(weighted, cosine) / total


class CorpusGraphs:
    """The graphs of a corpus, by key.

    Args:
        graphs: graphs of its problems; None for unknown ones.
    """

    def __init__(self, graphs: Sequence[ComputationalGraph | None]) -> None:
        self._with_graph = _rows([None if graph is None else graph.graph for graph in graphs])
        self._with_equation = _rows([None if graph is None else graph.prototype for graph in graphs])

    def scores(self, cosines: npt.NDArray[np.floating], likely: LikelyGraphs) -> Floats:
        """Return the ranking scores of the problems for one question, in [-1, 1].

        Args:
            cosines: (problems,) cosines between the question's vector and theirs.
            likely: possible graphs of the question.

        Returns:
            (problems,) the weighted mean of the cosine, the probability of the same graph and that of the same
            equation.
        """
        same_graph, same_equation = np.zeros((2, len(cosines)))
        for graph, probability in likely:
            same_graph[self._with_graph.get(graph.graph, _NO_ROWS)] += probability
            same_equation[self._with_equation.get(graph.prototype, _NO_ROWS)] += probability
        return exemplar_score(cosines.astype(np.float64), np.minimum(same_graph, 1), np.minimum(same_equation, 1))


def _rows(keys: Sequence[str | None]) -> dict[str, npt.NDArray[np.int64]]:
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if key is not None:
            rows[key].append(row)
    return {key: np.array(key_rows, dtype=np.int64) for key, key_rows in rows.items()}
