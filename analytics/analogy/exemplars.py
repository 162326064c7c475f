"""Worked exemplars for a question: the nearest problems of a corpus. Torch-free.

Yang et al., "Learning by Analogy", Eq. 2, rank by the retriever's cosine alone. Here, given the question's possible
graphs, a problem is also scored by the probability that it has the question's graph, and by the probability that it
has exactly its equation.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import ComputationalGraph, integer_codes
from analytics.errors import DataError
from analytics.text.fingerprints import story_key

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


_CHUNK = 512  # queries that are compared with the corpus at once


@dataclass(frozen=True, slots=True)
class Exemplar:
    """A problem of the corpus: its row, its ranking score (`CorpusGraphs.scores`) and its cosine with the question."""

    row: int
    score: float
    similarity: float


class ExemplarCorpus:
    """Corpus of problems to retrieve exemplars from.

    Args:
        texts: texts of the problems.
        vectors: (problems, dimension) of length 1, from the retriever.
        graphs: graphs of the problems, over the numbers in their texts; by default none are known.

    Raises:
        DataError: there are no problems, or the number of vectors or graphs does not match.
    """

    def __init__(
        self, texts: Sequence[str], vectors: npt.NDArray[np.float32], graphs: Sequence[ComputationalGraph | None] = ()
    ) -> None:
        if not texts:
            raise DataError("The corpus holds no problem.")
        if len(vectors) != len(texts):
            raise DataError(f"{len(texts):,} problems need as many vectors, not {len(vectors):,}.")
        if graphs and len(graphs) != len(texts):
            raise DataError(f"{len(texts):,} problems need as many graphs, not {len(graphs):,}.")
        self.vectors = vectors
        self.graphs = CorpusGraphs(graphs)
        stories = [story_key(text) for text in texts]
        self.stories = integer_codes(stories)
        self._known = dict(zip(stories, self.stories.tolist(), strict=True))

    def retrieve(
        self,
        texts: Sequence[str],
        vectors: npt.NDArray[np.float32],
        k: int,
        *,
        likely: Sequence[LikelyGraphs] | None = None,
    ) -> list[list[Exemplar]]:
        """Return the `k` most similar problems for each question, most similar first (Eq. 2).

        The question itself, and copies that differ only in numbers, are left out: an exemplar that gives the
        answer away teaches nothing.

        Args:
            texts: the questions.
            vectors: (questions, dimension) of length 1, from the same retriever.
            k: number of exemplars; fewer if the corpus is smaller.
            likely: graphs that each question may have, which are scored in addition to the cosine; by default
                only the cosine counts.

        Raises:
            ValueError: k is below 1.
        """
        if k < 1:
            raise ValueError(f"k must be at least 1, not {k}")
        hits: list[list[Exemplar]] = []
        for start in range(0, len(texts), _CHUNK):
            cosines = scores = vectors[start : start + _CHUNK] @ self.vectors.T
            if likely is not None:
                pairs = zip(cosines, likely[start : start + _CHUNK], strict=True)
                scores = np.stack([self.graphs.scores(row, graphs) for row, graphs in pairs])
            stories = np.array([self._known.get(story_key(text), -1) for text in texts[start : start + _CHUNK]])
            scores = np.where(stories[:, None] == self.stories[None, :], -np.inf, scores)
            hits += [_best(row, near, k) for row, near in zip(scores, cosines, strict=True)]
        return hits


def _best(scores: npt.NDArray[np.float32], cosines: npt.NDArray[np.float32], k: int) -> list[Exemplar]:
    k = min(k, len(scores))
    rows = np.argpartition(-scores, k - 1)[:k]
    rows = rows[np.lexsort((rows, -scores[rows]))]
    return [Exemplar(int(row), float(scores[row]), float(cosines[row])) for row in rows if np.isfinite(scores[row])]
