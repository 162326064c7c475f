"""Concepts picked from the names of a hierarchy."""

from __future__ import annotations

import pytest

from analytics.errors import LanguageModelError
from analytics.language_model.concepts import pick_concepts
from tests.cases import each_case
from tests.scripted_model import ScriptedModel, in_turn

HIERARCHY = [
    ("Mathematics",),
    ("Mathematics", "Number"),
    ("Mathematics", "Number", "Fractions"),
    ("Mathematics", "Number", "Percentages"),
    ("Mathematics", "Shapes", "Area"),
    ("Mathematics", "Shapes", "Angles"),
]
BELOW_ROOT = [path[1:] for path in HIERARCHY[1:]]
QUESTION = "What is half of a third?"


@each_case("pointing", "picked_concepts")
def test_names_of_the_hierarchy_are_picked_first_a_branch_then_a_leaf(answers: list[str], paths: list[list[str]]):
    picked = pick_concepts(ScriptedModel(in_turn(*answers)), QUESTION, BELOW_ROOT)
    assert picked.paths == tuple(map(tuple, paths)), picked.reason


@each_case("pointing", "invented_concepts")
def test_a_name_that_is_not_in_the_hierarchy_is_dropped(answers: list[str], because: str) -> None:
    picked = pick_concepts(ScriptedModel(in_turn(*answers)), QUESTION, BELOW_ROOT)
    assert picked.paths is None
    assert because in picked.reason


def test_the_model_sees_the_question_and_the_names_of_one_branch() -> None:
    model = ScriptedModel(in_turn({"names": ["Number"]}, {"names": ["Percentages"]}))
    assert pick_concepts(model, QUESTION, HIERARCHY).paths == (("Mathematics", "Number", "Percentages"),)
    branches, leaves = (messages[-1].content for messages, _ in model.asked)
    assert branches.endswith("Names:\n- Number\n- Shapes")  # what all paths begin with is not asked about
    assert leaves.endswith("Names:\n- Fractions\n- Percentages")
    assert QUESTION in branches


def test_a_branch_with_many_leaves_is_descended_level_by_level() -> None:
    paths = [("All", f"Part {part}", f"Leaf {part}.{leaf}") for part in range(20) for leaf in range(10)]
    model = ScriptedModel(in_turn({"names": ["All"]}, {"names": ["Part 3"]}, {"names": ["Leaf 3.4"]}))
    assert pick_concepts(model, QUESTION, [*paths, ("Other",)]).paths == (("All", "Part 3", "Leaf 3.4"),)
    assert len(model.asked) == 3


def test_leaves_of_one_name_are_told_apart_by_what_is_above_them() -> None:
    paths = [("A", "Sums", "Words"), ("A", "Products", "Words"), ("B",)]
    model = ScriptedModel(in_turn({"names": ["A"]}, {"names": ["Products > Words"]}))
    assert pick_concepts(model, QUESTION, paths).paths == (("A", "Products", "Words"),)


def test_a_single_concept_is_picked_without_asking() -> None:
    model = ScriptedModel("?")
    assert pick_concepts(model, QUESTION, [("Sums",), ("Sums", "To ten")]).paths == (("Sums", "To ten"),)
    assert not model.asked
    assert pick_concepts(model, QUESTION, []).reason == "The hierarchy has no concepts."


def test_an_unreachable_model_is_an_error() -> None:
    with pytest.raises(LanguageModelError):
        pick_concepts(ScriptedModel(LanguageModelError("The language model cannot be reached.")), QUESTION, HIERARCHY)
