"""Finding concepts: by name, step by step, by strand."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from questionbank.bank.concept_selectors import choices_of, concept_matches, strands
from questionbank.models import KnowledgeConcept
from questionbank.search.page_parts import concept_steps
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory


@pytest.fixture
def linear(db) -> KnowledgeConcept:
    hierarchy = HierarchyFactory(name="School")
    ConceptFactory(hierarchy=hierarchy, names=("Algebra", "Linear algebra"))
    ConceptFactory(hierarchy=hierarchy, names=("Geometry", "Linear scaling of areas"))
    return ConceptFactory(hierarchy=hierarchy, names=("Algebra", "Equations", "Linear"))


def test_every_word_must_occur_and_the_shortest_name_comes_first(linear) -> None:
    assert [choice.path[-1] for choice in concept_matches(query="LINEAR")] == [
        "Linear",
        "Linear algebra",
        "Linear scaling of areas",
    ]
    assert [choice.path for choice in concept_matches(query="of linear")] == [("Geometry", "Linear scaling of areas")]


@pytest.mark.parametrize("query", ["", "  ", "nothing like it", "%", "_"])
def test_nothing_is_found_by_nothing_and_signs_of_patterns_are_letters(linear, query) -> None:
    assert concept_matches(query=query) == []


def test_a_hierarchy_narrows_the_search(linear) -> None:
    second_hierarchy = HierarchyFactory()
    there = ConceptFactory(hierarchy=second_hierarchy, names=("Linear",))
    assert [choice.id for choice in concept_matches(query="linear", hierarchy=second_hierarchy)] == [there.pk]


def test_what_lies_below_a_concept_can_be_left_out(linear) -> None:
    algebra = KnowledgeConcept.objects.get(name="Algebra")
    choices = concept_matches(query="linear", outside=algebra)
    assert [choice.path[0] for choice in choices] == ["Geometry"]


def test_choices_keep_the_order_of_the_tree_and_forget_unknown_ones(linear) -> None:
    geometry = KnowledgeConcept.objects.get(name="Geometry")
    algebra = KnowledgeConcept.objects.get(name="Algebra")
    paths = [choice.path for choice in choices_of([geometry.pk, linear.pk, algebra.pk, 999_999])]
    assert paths == [("Algebra",), ("Algebra", "Equations", "Linear"), ("Geometry",)]


def test_steps_lead_down_and_leave_out_what_holds_nothing(linear) -> None:
    algebra = KnowledgeConcept.objects.get(name="Algebra")
    equations = KnowledgeConcept.objects.get(name="Equations")
    steps = concept_steps(
        chosen=algebra.pk, counts={equations.pk: 7}, hierarchies={algebra.hierarchy_id: ("School", 7)}
    )
    assert [step.name for step in steps.chain] == ["Algebra"]
    (group,) = steps.groups
    assert [(step.name, step.count) for step in group.steps] == [("Equations", 7)]


def test_roots_are_grouped_by_hierarchy_the_largest_first(linear) -> None:
    algebra = KnowledgeConcept.objects.get(name="Algebra")
    analysis = ConceptFactory(hierarchy=HierarchyFactory(name="College"), names=("Analysis",))
    steps = concept_steps(
        chosen=None,
        counts={algebra.pk: 2, analysis.pk: None},
        hierarchies={algebra.hierarchy_id: ("School", 2), analysis.hierarchy_id: ("College", 9)},
    )
    assert [(group.hierarchy, group.count) for group in steps.groups] == [("College", 9), ("School", 2)]
    assert [(step.name, step.count) for step in steps.groups[0].steps] == [("Analysis", None)]


def test_an_unknown_concept_begins_at_the_roots(linear) -> None:
    assert concept_steps(chosen=999_999, counts={}, hierarchies={}).chain == ()


def test_leading_nodes_that_every_question_shares_are_no_strands(db) -> None:
    cache.clear()
    hierarchy = HierarchyFactory(name="Competition")
    for name, number in (("Counting", 2), ("Geometry", 1), ("Unused", 0)):
        concept = ConceptFactory(hierarchy=hierarchy, names=("Overseas Competition", "Knowledge Point", name))
        QuestionFactory.create_batch(number, concepts=[concept])
    (group,) = strands()
    assert [(strand.name, strand.questions) for strand in group.strands] == [("Counting", 2), ("Geometry", 1)]
    cache.clear()
