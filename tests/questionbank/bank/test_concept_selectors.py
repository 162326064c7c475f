"""Trees of concepts with counts of questions."""

from __future__ import annotations

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.bank.concept_selectors import concept_get, concept_path, concept_tree, hierarchies, hierarchy_get
from questionbank.core.errors import NotFound
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def hierarchy():
    return HierarchyFactory(name="maths")


def nodes(roots):
    """All nodes by path."""
    by_path, waiting = {}, list(roots)
    while waiting:
        node = waiting.pop()
        by_path[node.path] = node
        waiting.extend(node.children)
    return by_path


def test_children_stand_below_their_parents_by_name(hierarchy):
    for names in (("b", "z"), ("b", "A"), ("a",), ("C",)):
        ConceptFactory(hierarchy=hierarchy, names=names)
    roots = concept_tree(hierarchy=hierarchy)
    assert [node.name for node in roots] == ["a", "b", "C"]
    assert [(node.name, node.depth) for node in roots[1].children] == [("A", 2), ("z", 2)]


def test_a_question_counts_once_in_a_subtree_however_many_concepts_it_has_there(hierarchy):
    left = ConceptFactory(hierarchy=hierarchy, names=("Root", "Left"))
    right = ConceptFactory(hierarchy=hierarchy, names=("Root", "Right"))
    QuestionFactory(concepts=[left, right])
    QuestionFactory(concepts=[left])
    counts = {path: (n.own_questions, n.questions) for path, n in nodes(concept_tree(hierarchy=hierarchy)).items()}
    assert counts == {("Root",): (0, 2), ("Root", "Left"): (2, 2), ("Root", "Right"): (1, 1)}


def test_only_ready_questions_of_this_hierarchy_count(hierarchy):
    concept = ConceptFactory(hierarchy=hierarchy, names=("A",))
    foreign_concept = ConceptFactory(names=("A",))
    for status in ("draft", "retired"):
        QuestionFactory(concepts=[concept], status=status)
    QuestionFactory(concepts=[foreign_concept])
    assert [(node.name, node.questions) for node in concept_tree(hierarchy=hierarchy)] == [("A", 0)]


def test_counts_agree_with_counting_one_by_one_and_are_kept_until_something_changes(hierarchy):
    rng = random.Random(7)
    concepts = [
        ConceptFactory(hierarchy=hierarchy, names=tuple(f"c{rng.randrange(3)}" for _ in range(depth)))
        for depth in (1, 2, 3, 4)
        for _ in range(6)
    ]
    tagged = {}
    for _ in range(60):
        chosen = set(rng.sample(concepts, rng.randrange(4)))
        tagged[QuestionFactory(concepts=chosen).pk] = {concept_path(concept) for concept in chosen}
    with CaptureQueriesContext(connection) as queries:
        roots = concept_tree(hierarchy=hierarchy)
    assert len(queries) == 5  # the versions of the concepts and of the counts, the tree, the counts
    with CaptureQueriesContext(connection) as queries:
        assert concept_tree(hierarchy=hierarchy) is roots
    assert len(queries) == 2
    for path, node in nodes(roots).items():
        assert node.own_questions == sum(path in paths for paths in tagged.values())
        assert node.questions == sum(
            any(tagged_path[: len(path)] == path for tagged_path in paths) for paths in tagged.values()
        )


def test_hierarchies_come_by_name_with_their_numbers_of_concepts(hierarchy):
    HierarchyFactory(name="arts")
    ConceptFactory(hierarchy=hierarchy, names=("A", "B"))
    assert [(entry.name, entry.concept_count) for entry in hierarchies()] == [("arts", 0), ("maths", 2)]


def test_what_is_not_there_is_told(hierarchy):
    assert hierarchy_get(hierarchy_id=hierarchy.pk) == hierarchy
    for attempt in (lambda: hierarchy_get(hierarchy_id=0), lambda: concept_get(concept_id=0)):
        with pytest.raises(NotFound, match="There is no"):
            attempt()


def test_a_path_names_all_above(hierarchy):
    assert concept_path(ConceptFactory(hierarchy=hierarchy, names=("A", "A", "B"))) == ("A", "A", "B")
