"""Bootstrap intervals of the figures of scored pairs: pairs are drawn, the same ones for whatever scores them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analytics.paraphrase.metrics import THRESHOLD
from worker.evaluation.bootstrap import RESAMPLES, middle, resample_counts

__all__ = ["INTERVALS", "PairResamples", "intervals", "mean_figures"]

INTERVALS = ("auc", "macro_f1", "paper_macro_f1", "separation")
"""Figures of `analytics.paraphrase.metrics.PairMetrics` that get an interval."""

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
    def of(cls, labels: Sequence[int], *, resamples: int = RESAMPLES, seed: int = 0) -> PairResamples:
        """Draw as many pairs as there are, with replacement; the same labels and seed give the same draws."""
        draws = resample_counts(len(labels), resamples=resamples, seed=seed)
        return cls(np.asarray(labels, dtype=np.int64), np.array(list(draws), dtype=np.float64))

    def figures(self, scores: Sequence[float], *, threshold: float = THRESHOLD) -> Figures:
        """Each of `INTERVALS` on every resample, as `pair_metrics` has it; NaN where a class was not drawn.

        Args:
            scores: (pairs,).
            threshold: a pair that scores more is called valid.
        """
        values = np.asarray(scores, dtype=np.float64)
        valid = self.counts * self.labels
        invalid = self.counts - valid
        called = (values > threshold).astype(np.float64)
        hits = np.stack([invalid @ (1 - called), valid @ called])  # (classes, resamples)
        support = np.stack([invalid.sum(axis=1), valid.sum(axis=1)])
        predicted = np.stack([self.counts @ (1 - called), self.counts @ called])
        with np.errstate(invalid="ignore", divide="ignore"):
            recall = hits / support
            precision = np.where(predicted > 0, hits / predicted, 0.0)
            mean_precision, mean_recall = precision.mean(axis=0), recall.mean(axis=0)
            return {
                "auc": _auc(values, invalid, valid),
                "macro_f1": (2 * hits / (predicted + support)).mean(axis=0) + 0 * mean_recall,
                "paper_macro_f1": 2 * mean_precision * mean_recall / (mean_precision + mean_recall),
                "separation": valid @ values / support[1] - invalid @ values / support[0],
            }


def mean_figures(runs: Sequence[Figures]) -> Figures:
    """The mean over runs (seeds) of each figure, resample by resample."""
    return {name: np.mean([one[name] for one in runs], axis=0) for name in INTERVALS}


def intervals(figures: Figures, less: Figures | None = None) -> dict[str, list[float]]:
    """The 95 % interval of each figure, or of its difference from another scorer's on the same draws."""
    return {name: list(middle(figures[name] - (less[name] if less else 0.0))) for name in INTERVALS}


def _auc(values: Array, invalid: Array, valid: Array) -> Array:
    """The share of (valid, invalid) couples in which the valid pair scores more, ties counted one half."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-np.inf))  # of equal scores
    above = np.add.reduceat(valid[:, order], starts, axis=1)
    beside = np.add.reduceat(invalid[:, order], starts, axis=1)
    below = beside.cumsum(axis=1) - beside
    couples: Array = valid.sum(axis=1) * invalid.sum(axis=1)
    found: Array = (above * (below + beside / 2)).sum(axis=1) / couples
    return found
