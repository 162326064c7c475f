"""Figures for scored pairs, against numbers worked by hand and against scikit-learn where it is installed."""

from __future__ import annotations

import random

import pytest

from analytics.errors import DataError
from analytics.metrics import cohen_kappa
from analytics.paraphrase.metrics import operator_accuracy, pair_metrics, roc_auc

LABELS = [1, 1, 1, 0, 0, 0, 0, 0]
SCORES = [0.9, 0.8, 0.2, 0.7, 0.1, -0.5, 0.5, 0.3]


def test_figures_follow_the_worked_example() -> None:
    """Called valid: 0.9, 0.8 and 0.7 (0.5 itself is not above 0.5).

    Valid class: precision 2/3, recall 2/3, F1 2/3. Invalid class: precision 4/5, recall 4/5, F1 4/5.
    Means: (0.9 + 0.8 + 0.2) / 3 = 1.9/3; (0.7 + 0.1 - 0.5 + 0.5 + 0.3) / 5 = 0.22.
    Pairs of a valid and an invalid one: 0.9 and 0.8 beat all five, 0.2 beats two (0.1, -0.5): 12 of 15.
    """
    figures = pair_metrics(LABELS, SCORES)
    assert figures.confusion == ((4, 1), (1, 2))
    assert figures.macro_precision == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert figures.macro_f1 == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert figures.weighted_recall == pytest.approx(3 / 8 * 2 / 3 + 5 / 8 * 4 / 5)
    assert figures.accuracy == pytest.approx(6 / 8)
    assert figures.positive_mean == pytest.approx(1.9 / 3)
    assert figures.negative_mean == pytest.approx(0.22)
    assert figures.separation == pytest.approx(1.9 / 3 - 0.22)
    assert figures.auc == pytest.approx(12 / 15)
    assert (figures.pairs, figures.valid) == (8, 3)
    assert figures.as_dict()["confusion"] == ((4, 1), (1, 2))


def test_the_papers_f1_is_the_harmonic_mean_of_averaged_precision_and_recall() -> None:
    """One valid pair of four is found, nothing else is called valid.

    Precision: 1 and 4/7, mean 11/14. Recall: 1/4 and 1, mean 5/8. Harmonic mean: 2 * 11/14 * 5/8 / (11/14 + 5/8)
    = 55/79. The classes' F1 are 2/5 and 8/11, mean 31/55.
    """
    figures = pair_metrics([1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0])
    assert figures.paper_macro_f1 == pytest.approx(55 / 79)
    assert figures.macro_f1 == pytest.approx(31 / 55)


def test_the_papers_own_table_follows_from_its_confusion_matrix() -> None:
    """Table 1 of the paper, SAWP, "Pretrained": everything is called valid (130 of 400 are)."""
    figures = pair_metrics([1] * 130 + [0] * 270, [1.0] * 400)
    row = (figures.macro_precision, figures.macro_recall, figures.paper_macro_f1, figures.paper_weighted_f1)
    assert [round(value, 3) for value in row] == [0.163, 0.5, 0.245, 0.159]


def test_equal_scores_count_one_half() -> None:
    assert roc_auc([1, 0], [0.3, 0.3]) == 0.5
    assert roc_auc([1, 1, 0, 0], [1, -1, 1, -1]) == 0.5
    assert roc_auc([0, 1], [0.1, 0.2]) == 1.0


def test_figures_agree_with_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = random.Random(4)
    labels = [rng.randint(0, 1) for _ in range(60)]
    scores = [round(rng.uniform(-1, 1) + 0.4 * label, 1) for label in labels]
    figures = pair_metrics(labels, scores)
    called = [int(score > 0.5) for score in scores]
    for average in ("macro", "weighted"):
        expected = sklearn.precision_recall_fscore_support(labels, called, average=average)[:3]
        averages = [getattr(figures, f"{average}_{name}") for name in ("precision", "recall", "f1")]
        assert averages == pytest.approx(expected)
    assert figures.auc == pytest.approx(sklearn.roc_auc_score(labels, scores))
    assert cohen_kappa(labels, called) == pytest.approx(sklearn.cohen_kappa_score(labels, called))


@pytest.mark.parametrize(
    ("labels", "scores"),
    [([1], [0.2, 0.3]), ([1, 1], [0.1, 0.2]), ([1, 2], [0.1, 0.2]), ([1, 0], [float("nan"), 0.1]), ([], [])],
)
def test_what_cannot_be_measured_is_refused(labels: list[int], scores: list[float]) -> None:
    with pytest.raises(DataError):
        pair_metrics(labels, scores)


def test_an_operators_meaning_is_compared_with_labels() -> None:
    """Meant valid: 4, of which 1 is; labelled valid: 2; equal: the 1 and one of the two negatives."""
    figures = operator_accuracy([1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 1, 0])
    assert figures == {"precision": 1 / 4, "recall": 1 / 2, "accuracy": 2 / 6}
    with pytest.raises(DataError):
        operator_accuracy([], [])


def test_kappa_of_annotators_who_always_agree_is_one() -> None:
    assert cohen_kappa([1, 1], [1, 1]) == 1.0
    assert cohen_kappa([1, 0], [0, 1]) == -1.0
    with pytest.raises(DataError):
        cohen_kappa([1], [])
