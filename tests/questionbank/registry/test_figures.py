"""The figures of a model or of a job as rows of a table."""

from __future__ import annotations

import pytest

from questionbank.registry.curve_views import figure_rows, result_tables


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
