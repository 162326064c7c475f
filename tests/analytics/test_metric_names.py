"""The names of metrics that people read."""

from __future__ import annotations

from analytics.metrics import named_metric


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
