"""Which problems of a corpus are probably computed as a question is, given the graphs that the question may have.

Ours, torch-free. The paper ranks by the retriever's cosine alone (Eq. 2). Here a problem also counts for the
probability that it has the question's graph, and for the probability that it has its very equation.
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
"""Graphs that a question may have, each with its probability; empty where nothing is known."""

_PROBABILITY_WEIGHT = 2.0  # relative to the cosine: decision 64

_NO_ROWS: npt.NDArray[np.int64] = np.array([], dtype=np.int64)
_Score = TypeVar("_Score", float, Floats)


def exemplar_score(cosine: _Score, *probabilities: _Score) -> _Score:
    """Return what exemplars are ranked by: the mean of a cosine and, with twice its weight each, of probabilities.

    >>> round(exemplar_score(0.4, 1.0), 2)
    0.8
    """
    total = 1 + _PROBABILITY_WEIGHT * len(probabilities)
    weighted = [_PROBABILITY_WEIGHT * probability for probability in probabilities]
    return sum(weighted, cosine) / total


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
        same_graph, same_equation = np.zeros((2, len(cosines)))
        for graph, probability in likely:
            same_graph[self._with_graph.get(graph.graph, _NO_ROWS)] += probability
            same_equation[self._with_equation.get(graph.prototype, _NO_ROWS)] += probability
        return exemplar_score(
            cosines.astype(np.float64), np.minimum(same_graph, 1), np.minimum(same_equation, 1)
        )


def _rows(keys: Sequence[str | None]) -> dict[str, npt.NDArray[np.int64]]:
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if key is not None:
            rows[key].append(row)
    return {key: np.array(key_rows, dtype=np.int64) for key, key_rows in rows.items()}
