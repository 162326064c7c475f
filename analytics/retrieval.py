"""How well a vector's nearest neighbours share its concepts: precision at k, level by level."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from analytics.records import ConceptPath

_CHUNK = 1024

Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""Function that returns unit vectors of texts, (texts, dimension), in the given order."""


def nearest_rows(
    vectors: npt.NDArray[np.float32], others: npt.NDArray[np.float32], k: int = 10
) -> npt.NDArray[np.int64]:
    """Return the rows of the `k` others with the highest cosine to each vector, nearest first.

    Args:
        vectors: (questions, dimension) of length 1.
        others: (others, dimension) of length 1.

    Returns:
        (questions, k), or all others if there are fewer than k.
    """
    k = min(k, len(others))
    rows = np.empty((len(vectors), k), dtype=np.int64)
    for start in range(0, len(vectors), _CHUNK):
        rows[start : start + _CHUNK] = best_columns(vectors[start : start + _CHUNK] @ others.T, k)
    return rows


def best_columns(cosines: npt.NDArray[np.float32], k: int) -> npt.NDArray[np.int64]:
    """Return the columns of the `k` highest entries of each row, (rows, k), highest first."""
    best = np.argpartition(-cosines, k - 1, axis=1)[:, :k]
    order = np.argsort(-np.take_along_axis(cosines, best, axis=1), axis=1, kind="stable")
    return np.take_along_axis(best, order, axis=1)


def retrieval_hits(
    nearest: npt.NDArray[np.int64],
    paths: Sequence[Sequence[ConceptPath]],
    other_paths: Sequence[Sequence[ConceptPath]],
    level: int,
) -> npt.NDArray[np.float64]:
    """Return for each question the share of neighbours that share one of its paths down to `level`.

    Returns:
        (questions,), NaN if a question has no path that deep.
    """
    wanted = [{path[:level] for path in question_paths if len(path) >= level} for question_paths in paths]
    neighbour_paths = [
        {path[:level] for path in question_paths if len(path) >= level} for question_paths in other_paths
    ]
    hits = np.full(len(paths), np.nan)
    for row, prefixes in enumerate(wanted):
        if prefixes and nearest.shape[1]:
            hits[row] = np.mean([not prefixes.isdisjoint(neighbour_paths[neighbour]) for neighbour in nearest[row]])
    return hits


def precision_at_k(
    vectors: npt.NDArray[np.float32],
    others: npt.NDArray[np.float32],
    paths: Sequence[Sequence[ConceptPath]],
    other_paths: Sequence[Sequence[ConceptPath]],
    *,
    levels: int,
    k: int = 10,
) -> dict[int, float]:
    """Return the mean share of the k nearest that share the concept path, for the levels 1 .. `levels` that occur."""
    nearest = nearest_rows(vectors, others, k)
    figures = {}
    for level in range(1, levels + 1):
        hits = retrieval_hits(nearest, paths, other_paths, level)
        if not np.isnan(hits).all():
            figures[level] = float(np.nanmean(hits))
    return figures
