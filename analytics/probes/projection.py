"""A two-dimensional map of vectors that keeps near vectors near.

QuesCo (Ning et al., AAAI 2023), Figure 6, draws its vectors by t-SNE (van der Maaten and Hinton 2008). Here
principal components come first (50 carry nearly all the variance of a sentence encoder's vectors), then
openTSNE (Poličar, Stražar and Zupan 2019). For a large bank a sample is laid out, and every other vector is
placed among its nearest neighbours in the sample. Without openTSNE the map shows the first two components.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from analytics.configuration import configuration
from analytics.errors import Cancelled, DataError

FEWEST_FOR_TSNE = 12  # with fewer vectors, neighbourhoods are meaningless
_EARLY, _LATE, _PLACING = 250, 500, 100  # iterations: openTSNE's defaults
_REPORT_EVERY = 25
_PLACED_AT_ONCE = 10_000
_TREES_UP_TO = 10_000  # up to this size Barnes-Hut is faster than interpolation

Matrix = npt.NDArray[np.float32]
Progress = Callable[[int, int, str], None]


@configuration
class ProjectionConfig:
    """Settings of a map; each field has its help text and bounds."""

    method: Literal["tsne", "pca"] = Field(
        default="tsne", description="tsne keeps neighbourhoods, pca the large distances."
    )
    components: int = Field(default=50, ge=2, le=1_000, description="Principal components that t-SNE starts from.")
    perplexity: float = Field(
        default=30.0, ge=2.0, le=500.0, description="Approximate number of neighbours that each question keeps."
    )
    sample: int = Field(
        default=20_000,
        ge=100,
        le=500_000,
        description="Number of questions that are laid out; the others are placed among them.",
    )
    seed: int = Field(default=0, ge=0, le=2**31 - 1, description="Seed of the sample and of the search for neighbours.")
    threads: int = Field(
        default=2, ge=1, le=64, description="Number of threads; a different number may give a different map."
    )


@dataclass(frozen=True, slots=True)
class Projected:
    """The map.

    Attributes:
        coordinates: (vectors, 2) within -1 .. 1; the longer side fills the range, and the aspect ratio is
            preserved.
        method: ``"tsne"`` or ``"pca"``, the method actually used.
        sampled: number of vectors that were laid out together.
    """

    coordinates: Matrix
    method: str
    sampled: int


def project_vectors(
    vectors: Matrix,
    config: ProjectionConfig | None = None,
    *,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Projected:
    """Lay out vectors on a plane; the same vectors, settings and machine give the same map.

    Args:
        vectors: (vectors, dimension); normalised to unit length first, so that nearness means cosine
            similarity.
        progress: called with (done, total, description).
        cancel: polled frequently; True stops.

    Raises:
        DataError: there is no vector.
        Cancelled: `cancel` returned True.
    """
    config = config or ProjectionConfig()
    if vectors.ndim != 2 or not vectors.size:
        raise DataError("There is no vector to draw.")
    report = _Report(len(vectors), progress, cancel)
    report(0, "Principal components")
    reduced = principal_components(_unit(vectors), config.components)
    if config.method == "pca" or len(vectors) < FEWEST_FOR_TSNE or find_spec("openTSNE") is None:
        return Projected(_within_square(reduced[:, :2]), "pca", len(vectors))
    chosen = _sample(len(vectors), config)
    coordinates = np.zeros((len(vectors), 2), dtype=np.float32)
    layout = _lay_out(reduced[chosen], config, report)
    coordinates[chosen] = layout
    others = np.setdiff1d(np.arange(len(vectors)), chosen, assume_unique=True)
    for start in range(0, len(others), _PLACED_AT_ONCE):
        report(len(chosen) + start, "Placing the other questions")
        rows = others[start : start + _PLACED_AT_ONCE]
        coordinates[rows] = _place(layout, reduced[rows])
    report(len(vectors), "Placing the other questions")
    return Projected(_within_square(coordinates), "tsne", len(chosen))


def principal_components(vectors: Matrix, count: int) -> Matrix:
    """Return the vectors' coordinates along their principal components.

    The sign of each direction is chosen so that its largest entry is positive.

    Args:
        vectors: (vectors, dimension).

    Returns:
        (vectors, components), at least two columns (padded with zeros if the dimension is 1).
    """
    centred = vectors - vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    covariance = (centred.T @ centred).astype(np.float64) / max(1, len(vectors) - 1)
    _values, directions = np.linalg.eigh(covariance)  # ascending
    directions = directions[:, ::-1][:, : min(count, vectors.shape[1])]
    largest = directions[np.abs(directions).argmax(axis=0), np.arange(directions.shape[1])]
    directions = directions * np.where(largest < 0, -1.0, 1.0)
    reduced = centred @ directions.astype(np.float32)
    missing = max(0, 2 - reduced.shape[1])
    return np.ascontiguousarray(np.pad(reduced, ((0, 0), (0, missing))), dtype=np.float32)


class _Report:
    """Reports progress, and raises if the work is to stop."""

    def __init__(self, total: int, progress: Progress | None, cancel: Callable[[], bool] | None) -> None:
        self.total, self.progress, self.cancel = total, progress, cancel

    def __call__(self, done: int, message: str) -> None:
        if self.cancel is not None and self.cancel():
            raise Cancelled("The map was cancelled.")
        if self.progress is not None:
            self.progress(min(done, self.total), self.total, message)


def _unit(vectors: Matrix) -> Matrix:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)


def _sample(total: int, config: ProjectionConfig) -> npt.NDArray[np.int64]:
    if total <= config.sample:
        return np.arange(total)
    return np.sort(np.random.default_rng(config.seed).choice(total, config.sample, replace=False))


def _lay_out(vectors: Matrix, config: ProjectionConfig, report: _Report) -> Any:
    """Lay out the sample by t-SNE: (vectors, 2), an embedding in which others can be placed."""
    from openTSNE import TSNEEmbedding, affinity, initialization

    report(0, "Looking for neighbours")
    affinities = affinity.PerplexityBasedNN(
        vectors,
        perplexity=min(config.perplexity, (len(vectors) - 1) / 3),
        metric="euclidean",
        n_jobs=config.threads,
        random_state=config.seed,
    )
    embedding = TSNEEmbedding(
        initialization.rescale(vectors[:, :2].astype(np.float64)),
        affinities,
        negative_gradient_method="bh" if len(vectors) < _TREES_UP_TO else "fft",
        n_jobs=config.threads,
        random_state=config.seed,
    )

    def tell(before: int) -> Callable[[int, float, Any], bool]:
        def on_step(iteration: int, _error: float, _coordinates: Any) -> bool:
            done = before + iteration
            report(len(vectors) * done // (_EARLY + _LATE), f"Step {done} of {_EARLY + _LATE}")
            return False

        return on_step

    phases = ((_EARLY, 12.0, 0.5, 0), (_LATE, 1.0, 0.8, _EARLY))
    for iterations, exaggeration, momentum, before in phases:
        embedding.optimize(
            n_iter=iterations,
            exaggeration=exaggeration,
            momentum=momentum,
            inplace=True,
            callbacks=[tell(before)],
            callbacks_every_iters=_REPORT_EVERY,
        )
    return embedding


def _place(layout: Any, vectors: Matrix) -> Matrix:
    """Place vectors on a finished map by their nearest neighbours on it."""
    partial = layout.prepare_partial(vectors, k=10, initialization="median", perplexity=5)
    partial.optimize(
        n_iter=_PLACING, learning_rate=0.1, exaggeration=1.5, momentum=0.8, max_grad_norm=0.25, inplace=True
    )
    return np.asarray(partial, dtype=np.float32)


def _within_square(coordinates: npt.ArrayLike) -> Matrix:
    points = np.asarray(coordinates, dtype=np.float64)
    low, high = points.min(axis=0), points.max(axis=0)
    half = float((high - low).max()) / 2
    return np.asarray((points - (low + high) / 2) / (half or 1.0), dtype=np.float32)
