"""The figures of a model or a job: the charts of a training, and the rows of a table."""

from __future__ import annotations

import pytest
from django.urls import reverse

from questionbank.models import Run, RunMetric
from questionbank.registry.curve_views import compared_charts, figure_rows, loss_note, result_tables, training_charts

POINTS = [(10, 1.0), (20, 0.5)]


def test_figures_are_grouped_and_ranks_stand_in_the_order_of_their_numbers() -> None:
    names = ["loss_rank_10", "held_out_precision_at_10_level_2", "loss_rank_2", "loss", "loss_concepts",
             "epoch", "held_out_precision_at_10", "gradient_norm", "loss_rank_0"]  # fmt: skip
    charts = dict(training_charts(dict.fromkeys(names, POINTS)))
    assert {id: [curve.name for curve in chart.curves] for id, chart in charts.items()} == {
        "chart-loss": ["Loss", "Naming concepts"],
        "chart-rank": ["Rank 0, the augmented question", "Rank 2", "Rank 10"],
        "chart-held-out": ["Precision at 10", "Precision at 10, level 2"],
        "chart-gradient-norm": ["Gradient norm"],
    }


def test_figures_of_a_scorer_stand_in_one_chart() -> None:
    names = ["validation_auc", "validation_separation", "loss", "loss_triplet"]
    charts = dict(training_charts(dict.fromkeys(names, POINTS)))
    assert {id: [curve.name for curve in chart.curves] for id, chart in charts.items()} == {
        "chart-loss": ["Loss", "Triplet loss"],
        "chart-validation": ["ROC AUC of the score", "Separation of the score"],
    }
    both = dict(compared_charts({"validation_auc": POINTS}, {}, names=("new", "old")))
    assert list(both) == ["chart-validation-auc"]


def test_what_a_training_was_validated_with_stands_over_its_figures() -> None:
    for name, title in (
        ("validation_auc", "Validation pairs"),
        ("validation_auc_val_aquarat", "Validation"),
        ("validation_answer_accuracy", "Validation problems"),
        ("validation_same_graph", "Validation problems"),
    ):
        assert dict(training_charts({name: POINTS}))["chart-validation"].title == title


def test_the_axis_of_an_accuracy_ends_at_1_and_that_of_a_loss_need_not() -> None:
    level = [(10, 1.0), (20, 1.0)]
    series = {"loss": level, "held_out_precision_at_10": level, "validation_answer_accuracy": level}
    ends = {id: chart.y_ticks[-1].label for id, chart in training_charts(series)}
    assert ends == {"chart-loss": "1.1", "chart-held-out": "1", "chart-validation": "1"}
    both = dict(compared_charts(series, series, names=("new", "old")))
    assert both["chart-held-out-precision-at-10"].y_ticks[-1].label == "1"


def test_a_run_without_figures_has_no_charts() -> None:
    assert training_charts({}) == []
    assert compared_charts({}, {}, names=("a", "b")) == []


def test_two_trainings_share_their_axes_and_one_without_a_curve_is_left_out() -> None:
    charts = dict(
        compared_charts({"loss": POINTS, "held_out_precision_at_10": POINTS}, {"loss": POINTS}, names=("new", "old"))
    )
    assert [curve.name for curve in charts["chart-loss"].curves] == ["new", "old"]
    assert [curve.name for curve in charts["chart-held-out-precision-at-10"].curves] == ["new"]


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ({}, "50"),
        ({"queue_size": "1000", "batch_size": "16"}, "63"),
        ({"queue_size": "100000", "batch_size": "16"}, "6,250"),
        ({"objective": "last-layer", "metric_steps": "30"}, ""),
        ({"objective": "masked-language"}, ""),
        ({"a setting of an earlier version": "1"}, ""),
    ],
)
def test_the_loss_that_rises_while_the_queue_fills_says_why(settings, steps) -> None:
    run = Run(kind="train", capability="encoder", parameters={"set": settings})
    note = loss_note(run)
    assert bool(note) is bool(steps)
    assert f"in the first {steps} steps" in note or not steps


@pytest.mark.parametrize(("kind", "capability"), [("train", "solver"), ("evaluate", "encoder"), ("import", "")])
def test_other_jobs_need_no_note(kind, capability) -> None:
    assert loss_note(Run(kind=kind, capability=capability)) == ""


@pytest.mark.django_db
def test_the_note_stands_at_the_curve_of_the_job(client, admin_person) -> None:
    run = Run.objects.create(kind="train", capability="encoder", state="running", parameters={"set": {}})
    for step in (10, 20):
        RunMetric.objects.create(run=run, step=step, name="loss", value=step)
    client.force_login(admin_person)
    for name in ("run_detail", "run_progress"):
        page = client.get(reverse(name, args=[run.pk])).content.decode()
        assert page.count("The loss rises while the memory queue fills") == 1


def test_figures_of_groups_and_levels_have_names_that_people_know():
    figures = {
        "concepts": {"path_accuracy": 0.96, "levels": {"1": {"macro_f1": 0.9}, "2": {"macro_f1": 0.8}}},
        "difficulty": {"doa": 0.8, "true_concept_mae": 0.5},
        "held_out": {"precision_at_10": 0.7},
        "stopped_early": False,
    }
    assert figure_rows(figures) == [
        ("Concepts: accuracy of whole paths", 0.96),
        ("Concepts: level 1: macro F1", 0.9),
        ("Concepts: level 2: macro F1", 0.8),
        ("Difficulty: degree of agreement in order (DOA)", 0.8),
        ("Difficulty: mean absolute error, given the true concept", 0.5),
        ("Precision at 10", 0.7),
        ("Stopped early", False),
    ]


def test_a_group_is_named_once() -> None:
    figures = {"test": {"test_same_graph": 0.5, "problems": 24}, "validation": {"validation_same_graph": 0.4}}
    assert figure_rows(figures) == [
        ("Test: share of 8 exemplars with the same computation", 0.5),
        ("Test: problems", 24),
        ("Share of 8 exemplars with the same computation on validation problems of its training", 0.4),
    ]


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("better", "better than the model in use"),
        ("not_worse", "not worse than the model in use"),
        ("not_better", "not better than the model in use"),
        ("refused", "refused by the gate"),
        ("of a later version", "of a later version"),
    ],
)
def test_the_verdict_of_a_comparison_is_said_in_words(outcome: str, words: str) -> None:
    tables = result_tables({"comparison": 3, "passes": outcome == "better", "outcome": outcome})
    assert tables == [("", [("Passes the gate", outcome == "better"), ("Outcome", words)])]


def test_a_result_shows_its_plain_values_first_and_a_table_for_each_group():
    tables = result_tables({"metrics": {"difficulty": {"mae": 0.6}}, "model": 7, "empty": {}, "none": []})
    assert tables == [("", [("Model", 7)]), ("Metrics", [("Difficulty: mean absolute error", 0.6)])]
    assert result_tables({}) == []
