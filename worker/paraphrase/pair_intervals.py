"""Bootstrap intervals of the figures of scored pairs: pairs are drawn, the same ones for whatever scores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from analytics.paraphrase.scoring.metrics import THRESHOLD
from worker.bootstrap import RESAMPLES, middle, resample_counts

INTERVALS = ("auc", "macro_f1", "paper_macro_f1", "separation")
"""Figures of `analytics.paraphrase.scoring.metrics.PairMetrics` that get an interval."""

Array = npt.NDArray[np.float64]
Figures = Mapping[str, Array]


@dataclass(frozen=True)
class PairResamples:
    """Draws of labelled pairs.

    Attributes:
        labels: (pairs,) 1 valid, 0 not.
        counts: (resamples, pairs) how often each pair is drawn.
    """

    labels: npt.NDArray[np.int64]
    counts: Array

    @classmethod
    def of(
        cls,
        labels: Sequence[int],
        *,
        groups: Sequence[str] | None = None,
        resamples: int = RESAMPLES,
        seed: int = 0,
    ) -> PairResamples:
        """Draw as many pairs as there are, with replacement; the same labels and seed give the same draws.

        Args:
            labels: 1 valid, 0 not.
            groups: of each pair; pairs of one group are drawn together. By default each pair is drawn alone.
            resamples: number of draws.
            seed: of the draws.
        """
        places = np.arange(len(labels)) if groups is None else np.unique(groups, return_inverse=True)[1]
        draws = resample_counts(int(places.max()) + 1, resamples=resamples, seed=seed)
        return cls(np.asarray(labels, dtype=np.int64), np.array(list(draws), dtype=np.float64)[:, places])

    @cached_property
    def _counts_of(self) -> tuple[Array, Array]:
        """(resamples, pairs) of the invalid and of the valid pairs alone."""
        return self.counts[:, self.labels == 0], self.counts[:, self.labels == 1]

    def figures(self, scores: npt.ArrayLike, *, threshold: float = THRESHOLD) -> Figures:
        """Return each of `INTERVALS` on every resample, as `pair_metrics` has it; NaN where a class was not drawn.

        Args:
            scores: (pairs,).
            threshold: a pair that scores more is called valid.
        """
        values = np.asarray(scores, dtype=np.float64)
        of_invalid, of_valid = values[self.labels == 0], values[self.labels == 1]
        invalid, valid = self._counts_of
        support = np.stack([invalid.sum(axis=1), valid.sum(axis=1)])  # (classes, resamples)
        hits = np.stack([invalid @ (of_invalid <= threshold), valid @ (of_valid > threshold)])
        called = hits + (support - hits)[::-1]
        with np.errstate(invalid="ignore", divide="ignore"):
            recall = (hits / support).mean(axis=0)
            precision = np.where(called > 0, hits / called, 0.0).mean(axis=0)
            return {
                "auc": self._couples_in_order(of_invalid, of_valid) / support.prod(axis=0),
                "macro_f1": np.where(np.isnan(recall), np.nan, (2 * hits / (called + support)).mean(axis=0)),
                "paper_macro_f1": 2 * precision * recall / (precision + recall),
                "separation": valid @ of_valid / support[1] - invalid @ of_invalid / support[0],
            }

    def _couples_in_order(self, of_invalid: Array, of_valid: Array) -> Array:
        """Return in how many couples of an invalid and a valid pair the valid one scores more; a tie counts half."""
        invalid, valid = self._counts_of
        order = np.argsort(of_invalid)
        below = np.pad(invalid[:, order].cumsum(axis=1), ((0, 0), (1, 0)))
        couples: Array = np.zeros(len(below))
        for side in ("left", "right"):
            places = np.searchsorted(of_invalid[order], of_valid, side=side)
            couples += np.einsum("ij,ij->i", valid, below[:, places]) / 2
        return couples


def mean_figures(runs: Sequence[Figures]) -> Figures:
    """Return the mean over runs (seeds) of each figure, resample by resample."""
    return {name: np.mean([run[name] for run in runs], axis=0) for name in INTERVALS}


def intervals(figures: Figures, less: Figures | None = None) -> dict[str, list[float]]:
    """Return the 95 % interval of each figure, or of its difference from another scorer's on the same draws."""
    return {name: list(middle(figures[name] - (less[name] if less else 0.0))) for name in INTERVALS}
