from __future__ import annotations

import numpy as np
import pytest

from analytics.metrics import (
    accuracy,
    doa,
    expected_calibration_error,
    interval_coverage,
    macro_f1,
    mae,
    mean_interval_width,
    named_metric,
    pearson,
    rmse,
    rounded,
    spearman,
)


def test_accuracy_is_the_share_of_equal_entries():
    assert accuracy(["a", "b", "b", "c"], ["a", "b", "c", "c"]) == 0.75
    assert accuracy([], []) == 0


def test_macro_f1_by_hand():
    """a: tp 1, fp 0, fn 1: 2/3. b: tp 1, fp 1, fn 0: 2/3. c: never true, predicted once: 0. Mean 4/9."""
    assert macro_f1(["a", "a", "b"], ["a", "b", "b"]) == pytest.approx(2 / 3)
    assert macro_f1(["a", "a", "b", "b"], ["a", "b", "b", "c"]) == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)


def test_errors_by_hand():
    truth, predicted = np.array([1.0, 2, 4]), np.array([1.0, 4, 3])
    assert mae(truth, predicted) == pytest.approx(1)
    assert rmse(truth, predicted) == pytest.approx(np.sqrt(5 / 3))


@pytest.mark.parametrize("seed", range(3))
def test_correlations_equal_numpys_and_ranks_share_ties(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(5, size=40).astype(float), rng.normal(size=40)
    assert pearson(a, b) == pytest.approx(np.corrcoef(a, b)[0, 1])

    def rank(values):
        return np.array([(values < value).sum() + ((values == value).sum() + 1) / 2 for value in values])

    assert spearman(a, b) == pytest.approx(np.corrcoef(rank(a), rank(b))[0, 1])


def test_a_constant_correlates_with_nothing():
    assert pearson(np.ones(3), np.arange(3.0)) == 0


@pytest.mark.parametrize("seed", range(4))
def test_doa_equals_the_definition_pair_by_pair(seed):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(4, size=30), rng.integers(6, size=30)
    pairs = [(i, j) for i in range(30) for j in range(30) if truth[i] > truth[j]]
    expected = sum(predicted[i] > predicted[j] for i, j in pairs) / len(pairs)
    assert doa(truth, predicted) == pytest.approx(expected)


def test_doa_counts_equal_predictions_as_wrong_and_leaves_out_equal_truths():
    assert doa(np.array([1, 2, 2]), np.array([5, 5, 6])) == 0.5
    assert doa(np.array([1, 1]), np.array([1, 2])) == 0


def test_interval_figures_by_hand():
    low, high = np.array([0.0, 1, 2]), np.array([1.0, 3, 2])
    assert interval_coverage(np.array([1.0, 0, 2]), low, high) == pytest.approx(2 / 3)
    assert mean_interval_width(low, high) == pytest.approx(1)


def test_calibration_error_by_hand():
    """Bin of 0.9 and 0.9: half right, gap 0.4. Bin of 0.1: wrong, gap 0.1. Weighted: (2 * 0.4 + 0.1) / 3."""
    error = expected_calibration_error(np.array([0.9, 0.9, 0.1]), np.array([True, False, False]), bins=10)
    assert error == pytest.approx(0.3)
    assert expected_calibration_error(np.array([1.0]), np.array([True])) == 0


def test_figures_are_rounded_at_any_depth_and_counts_stay_whole():
    assert rounded([{"a": 1 / 3, "b": {"n": 7, "scale": "1-5"}}]) == [{"a": 0.3333, "b": {"n": 7, "scale": "1-5"}}]


def test_a_figure_that_nobody_named_is_still_readable() -> None:
    assert named_metric("loss_rank_3").full_label == "Rank 3"
    assert named_metric("gradient_norm").full_label == "Gradient norm"


def test_the_same_figure_on_other_questions_has_another_name() -> None:
    names = [
        "held_out_precision_at_10_level_2", "precision_at_10_level_2", "verdict_auc_demo", "verdict_auc_made",
        "score_auc_made", "validation_auc",
    ]  # fmt: skip
    assert len({named_metric(name).full_label for name in names}) == len(names)
    full_label = named_metric("precision_at_10_level_2").full_label
    assert full_label == "Precision at 10, level 2 on the bank’s held-out questions"
    assert named_metric("score_auc_aquarat_test").full_label == "ROC AUC of the score on aquarat_test"


def test_of_an_error_less_is_better() -> None:
    assert not named_metric("difficulty_mae").higher_is_better
    assert named_metric("difficulty_pearson").higher_is_better
