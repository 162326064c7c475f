"""Bootstrap intervals: they cover what they should, and pairs are drawn as the figures expect."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.paraphrase.metrics import pair_metrics
from worker.bootstrap import paired_interval, resample_counts
from worker.paraphrase.evaluation import INTERVALS, PairResamples, intervals, mean_figures

LABELS = [1, 0, 1, 1, 0, 0, 1, 0, 0, 1]
SCORES = [0.9, 0.2, 0.6, 0.6, 0.6, 0.1, 0.3, 0.5, 0.7, 0.8]


def test_an_interval_covers_no_difference_between_equals_and_not_a_clear_one():
    rng = np.random.default_rng(0)
    base = rng.normal(size=400)
    noise = rng.normal(scale=0.1, size=400)
    value, low, high = paired_interval(np.mean, [base + noise - noise.mean()], [base])
    assert low < 0 < high
    assert value == pytest.approx(0, abs=1e-9)
    value, low, high = paired_interval(np.mean, [base + noise + 0.2], [base])
    assert 0.1 < low < value < high


def test_a_question_that_several_seeds_test_counts_once():
    values = np.random.default_rng(0).normal(size=200)
    once = paired_interval(np.mean, [values], [np.zeros(200)])
    thrice = paired_interval(np.mean, [np.tile(values, 3)], [np.zeros(600)], questions=np.tile(np.arange(200), 3))
    assert thrice == pytest.approx(once)


@pytest.mark.parametrize("threshold", [0.5, 0.65, 2.0])
def test_each_resample_has_the_figures_of_its_pairs(threshold):
    figures = PairResamples.of(LABELS, resamples=50, seed=3).figures(SCORES, threshold=threshold)
    for index, counts in enumerate(resample_counts(len(LABELS), resamples=50, seed=3)):
        rows = np.repeat(np.arange(len(LABELS)), counts)
        expected = pair_metrics([LABELS[row] for row in rows], [SCORES[row] for row in rows], threshold=threshold)
        for name in INTERVALS:
            assert figures[name][index] == pytest.approx(getattr(expected, name)), name


def test_draws_without_one_of_the_labels_are_left_out():
    draws = PairResamples.of([1, 0], resamples=200)
    figures = draws.figures([0.9, 0.1])
    alone = np.isnan(figures["auc"])
    assert 60 < alone.sum() < 140
    assert (np.isnan(figures["separation"]) == alone).all()
    assert (np.isnan(figures["macro_f1"]) == alone).all()
    assert intervals(figures)["separation"] == pytest.approx([0.8, 0.8])


def test_scorers_are_compared_on_the_same_draws():
    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=300).tolist()
    poor = rng.normal(size=300) + np.array(labels)
    good = poor + np.array(labels)
    draws = PairResamples.of(labels)
    good_figures, poor_figures = draws.figures(good), draws.figures(poor)
    assert intervals(good_figures, good_figures) == {name: [0.0, 0.0] for name in INTERVALS}
    assert intervals(good_figures, poor_figures)["separation"] == pytest.approx([1.0, 1.0])
    low, high = intervals(good_figures, poor_figures)["auc"]
    assert 0 < low < high
    # paired: narrower than either alone
    assert high - low < np.subtract(*intervals(poor_figures)["auc"][::-1])
    halfway = mean_figures([good_figures, poor_figures])
    assert intervals(halfway, poor_figures)["separation"] == pytest.approx([0.5, 0.5])
