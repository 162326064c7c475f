"""Creating concepts by their paths."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.bank.concept_services import (
    concept_paths_ensure,
    concept_paths_known,
    hierarchy_ensure,
    paths_with_ancestors,
)
from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy
from tests.at_once import at_once
from tests.factories import HierarchyFactory

pytestmark = pytest.mark.django_db


def test_every_path_and_all_above_it_get_an_id_once():
    hierarchy = HierarchyFactory()
    ids, created = concept_paths_ensure(hierarchy=hierarchy, paths=[("A", "B", "C"), ("A", "D"), ("A", "B")])
    assert created == 4
    assert set(ids) == {("A",), ("A", "B"), ("A", "B", "C"), ("A", "D")}
    assert {path: concept.pk for path, concept in concept_paths_known(hierarchy=hierarchy).items()} == ids
    assert concept_paths_ensure(hierarchy=hierarchy, paths=[("A", "B", "C")]) == (ids, 0)


def test_hundreds_of_concepts_take_a_handful_of_statements():
    hierarchy = HierarchyFactory()
    concept_paths_ensure(hierarchy=hierarchy, paths=[("R", f"b{n}") for n in range(50)])
    paths = [("R", f"b{n % 100}", f"c{n}") for n in range(600)]
    with CaptureQueriesContext(connection) as queries:
        _, created = concept_paths_ensure(hierarchy=hierarchy, paths=paths)
    assert created == 650
    assert len(queries) <= 12
    assert KnowledgeConcept.objects.find_problems() == ([], [], [], [], [])


def test_siblings_may_be_more_than_one_digit_of_the_path_holds():
    hierarchy = HierarchyFactory()
    concept_paths_ensure(hierarchy=hierarchy, paths=[(f"c{n}",) for n in range(40)])
    concept_paths_ensure(hierarchy=hierarchy, paths=[("new",)])
    assert KnowledgeConcept.objects.order_by("path").last().name == "new"


def test_names_are_tidied_before_they_are_compared():
    hierarchy = HierarchyFactory()
    concept_paths_ensure(hierarchy=hierarchy, paths=[(" A  b ",), ("A b",)])
    assert KnowledgeConcept.objects.get().name == "A b"


@pytest.mark.parametrize("path", [(), ("A", " "), ("x" * 301,), ("a\0",), tuple("abcdefghijklmnopqrstuvwxyz01234")])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ValidationFailed):
        concept_paths_ensure(hierarchy=HierarchyFactory(), paths=[path])


def test_a_hierarchy_that_was_deleted_meanwhile_is_told():
    hierarchy = HierarchyFactory()
    KnowledgeHierarchy.objects.filter(pk=hierarchy.pk).delete()
    with pytest.raises(NotFound, match="no longer exists"):
        concept_paths_ensure(hierarchy=hierarchy, paths=[("A",)])


def test_ancestors_come_before_their_descendants():
    assert paths_with_ancestors([("A", "B"), ("C",)]) == [("A",), ("C",), ("A", "B")]


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\0b"])
def test_a_hierarchy_needs_a_usable_name(name):
    with pytest.raises(ValidationFailed):
        hierarchy_ensure(name=name)


def test_a_hierarchy_is_made_once():
    assert hierarchy_ensure(name="maths") == hierarchy_ensure(name=" maths ")


@pytest.mark.django_db(transaction=True)
def test_two_hierarchies_that_grow_at_once_get_different_roots():
    """Roots share one sequence of places over all hierarchies."""
    hierarchies = [HierarchyFactory(), HierarchyFactory()]

    def grow(hierarchy: KnowledgeHierarchy) -> None:
        for turn in range(10):
            concept_paths_ensure(hierarchy=hierarchy, paths=[(f"root {turn} {n}",) for n in range(20)])

    assert at_once(grow, hierarchies) == [None, None]
    assert KnowledgeConcept.objects.filter(depth=1).count() == 400


def test_paths_are_those_that_treebeard_gives():
    ours, theirs = (hierarchy_ensure(name=name) for name in ("Ours", "Theirs"))
    concept_paths_ensure(hierarchy=ours, paths=[("Root", f"Child {number}") for number in range(40)])
    root = KnowledgeConcept.objects.add_root({"hierarchy": theirs, "name": "Root"})
    for number in range(40):
        KnowledgeConcept.objects.add_child(
            KnowledgeConcept.objects.get(pk=root.pk), {"hierarchy": theirs, "name": f"Child {number}"}
        )
    rows = KnowledgeConcept.objects.filter(depth=2).order_by("path")
    ends = [
        [path[KnowledgeConcept.steplen :] for path in rows.filter(hierarchy=owner).values_list("path", flat=True)]
        for owner in (ours, theirs)
    ]
    assert ends[0] == ends[1]
