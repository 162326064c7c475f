"""Metrics of how well retrieval finds problems with the same computation. Torch-free.

Figure 4 in section 3.3 of Yang et al., "Learning by Analogy", correlates the similarity of graphs with that of their
embeddings. The share of nearest neighbours with the same graph and nDCG are our additions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from analytics.analogy.graphs import integer_codes, serialised_graph
from analytics.expression.distance import TokenLetters
from analytics.retrieval import nearest_rows

Floats = npt.NDArray[np.float64]


def shared_keys_at_k(
    vectors: npt.NDArray[np.float32],
    others: npt.NDArray[np.float32],
    keys: Sequence[str],
    other_keys: Sequence[str],
    k: int,
) -> float:
    """Return the share of the k nearest neighbours that have the question's key, averaged over the questions.

    Args:
        vectors: (questions, dimension) of length 1.
        others: (others, dimension) of length 1.
        keys, other_keys: keys of the questions and of the others.
        k: number of nearest neighbours; all others if there are fewer.
    """
    near = nearest_rows(vectors, others, k)
    codes = integer_codes([*keys, *other_keys])
    wanted, corpus_codes = codes[: len(keys)], codes[len(keys) :]
    return float((corpus_codes[near] == wanted[:, None]).mean())


class GraphSimilarities:
    """Graded similarity of question graphs to the graphs of a corpus, computed once per pair of graphs.

    Args:
        graphs: keys of the corpus.
    """

    def __init__(self, graphs: Sequence[str]) -> None:
        self._codes = integer_codes(graphs)
        self._letters = TokenLetters()
        self._distinct = [self._letters(serialised_graph(graph)) for graph in dict.fromkeys(graphs)]
        self._rows: dict[str, Floats] = {}

    def of(self, graph: str) -> Floats:
        """Return (corpus,) similarities in [0, 1], as from `graph_similarity`; 1 for the same graph."""
        row = self._rows.get(graph)
        if row is None:
            asked = [self._letters(serialised_graph(graph))]
            row = cdist(asked, self._distinct, scorer=Levenshtein.normalized_similarity, dtype=np.float64)[0]
            self._rows[graph] = row
        similarities: Floats = row[self._codes]
        return similarities


def ndcg(gains: Floats, possible: Floats) -> float:
    """Return the discounted gain of a ranking as a share of the best possible one; 1 if no item has a gain.

    Args:
        gains: (k,) gains of the retrieved items, in rank order.
        possible: (corpus,) gains of all items that could be retrieved.

    >>> ndcg(np.array([0.0, 1.0]), np.array([1.0, 0.0, 0.0]))
    0.6309297535714575
    """
    k = len(gains)
    best = np.sort(np.partition(possible, -k)[-k:] if len(possible) > k > 0 else possible)[::-1]
    discounts = 1 / np.log2(np.arange(2, k + 2))
    ideal = float(best @ discounts[: len(best)])
    return float(gains @ discounts) / ideal if ideal > 0 else 1.0
