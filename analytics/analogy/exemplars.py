"""Worked exemplars for a question: the nearest problems of a corpus. Torch-free.

Yang et al., "Learning by Analogy", Eq. 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.analogy.graphs import ComputationalGraph, integer_codes
from analytics.analogy.likely_graphs import CorpusGraphs, LikelyGraphs
from analytics.errors import DataError
from analytics.text.copies import story_key

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
