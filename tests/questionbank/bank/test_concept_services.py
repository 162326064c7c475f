"""Editing a hierarchy: the tree stays sound and the tags follow."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from questionbank.bank.concept_selectors import concept_path
from questionbank.bank.concept_services import (
    concept_create,
    concept_delete,
    concept_merge,
    concept_move,
    concept_paths_ensure,
    concept_paths_known,
    concept_rename,
    hierarchy_create,
    hierarchy_ensure,
    hierarchy_rename,
    paths_with_ancestors,
)
from questionbank.core.errors import Conflict, KindredError, NotAllowed, NotFound, ValidationFailed
from questionbank.models import KnowledgeConcept, KnowledgeHierarchy, ModelArtifact, QuestionTag
from questionbank.registry.lifecycle_services import hierarchy_delete
from tests.at_once import at_once
from tests.factories import ConceptFactory, HierarchyFactory, QuestionFactory

pytestmark = pytest.mark.django_db

PATHS = [
    ("Number", "Fractions", "Adding"),
    ("Number", "Fractions", "Comparing"),
    ("Number", "Decimals"),
    ("Algebra", "Equations"),
]


@pytest.fixture
def hierarchy(db) -> KnowledgeHierarchy:
    hierarchy = HierarchyFactory(name="maths")
    concept_paths_ensure(hierarchy=hierarchy, paths=PATHS)
    return hierarchy


@pytest.fixture
def at(hierarchy):
    """The concept at a path, as it is now."""
    return lambda *path: concept_paths_known(hierarchy=hierarchy)[path]


def paths(hierarchy: KnowledgeHierarchy) -> set[tuple[str, ...]]:
    assert KnowledgeConcept.objects.find_problems() == ([], [], [], [], [])
    return set(concept_paths_known(hierarchy=hierarchy))


def test_a_concept_is_added_below_another_or_as_a_root(hierarchy, at):
    below = concept_create(user=None, hierarchy=hierarchy, name=" Long  division ", parent=at("Number"))
    root = concept_create(user=None, hierarchy=hierarchy, name="Geometry")
    assert concept_path(below) == ("Number", "Long division")
    assert concept_path(root) == ("Geometry",)
    assert {("Number", "Long division"), ("Geometry",)} <= paths(hierarchy)


def test_siblings_have_distinct_names(hierarchy, at):
    for parent, name in ((at("Number"), "Decimals"), (None, "Algebra")):
        with pytest.raises(ValidationFailed, match="at this place") as caught:
            concept_create(user=None, hierarchy=hierarchy, name=name, parent=parent)
        assert set(caught.value.fields) == {"name"}
    with pytest.raises(ValidationFailed, match="at this place"):
        concept_rename(user=None, concept=at("Number", "Decimals"), name="Fractions")
    second_hierarchy = HierarchyFactory()
    concept_create(user=None, hierarchy=second_hierarchy, name="Algebra")  # another hierarchy may have it


def test_a_concept_is_renamed_where_it_stands(hierarchy, at):
    concept_rename(user=None, concept=at("Number", "Fractions"), name="Common fractions")
    concept_rename(user=None, concept=at("Number", "Common fractions"), name="Common fractions")
    assert ("Number", "Common fractions", "Adding") in paths(hierarchy)


@pytest.mark.parametrize("name", ["", "  ", "x" * 301, "a\0"])
def test_a_name_must_be_usable(hierarchy, at, name):
    with pytest.raises(ValidationFailed):
        concept_rename(user=None, concept=at("Number"), name=name)


def test_a_concept_moves_with_all_below_it_and_its_tags_stay(hierarchy, at):
    question = QuestionFactory(concepts=[at("Number", "Fractions", "Adding")])
    concept_move(user=None, concept=at("Number", "Fractions"), parent=at("Algebra"))
    assert ("Algebra", "Fractions", "Adding") in paths(hierarchy)
    assert ("Number", "Fractions") not in paths(hierarchy)
    assert question.tags.get().concept == at("Algebra", "Fractions", "Adding")


def test_a_concept_becomes_a_root_and_back(hierarchy, at):
    concept_move(user=None, concept=at("Number", "Fractions"), parent=None)
    assert ("Fractions", "Adding") in paths(hierarchy)
    concept_move(user=None, concept=at("Fractions"), parent=at("Number"))
    assert paths(hierarchy) == {path[:depth] for path in PATHS for depth in range(1, len(path) + 1)}


def test_moving_to_where_it_is_changes_nothing(hierarchy, at):
    before = list(KnowledgeConcept.objects.values_list("pk", "path"))
    concept_move(user=None, concept=at("Number", "Fractions"), parent=at("Number"))
    concept_move(user=None, concept=at("Number"), parent=None)
    assert list(KnowledgeConcept.objects.values_list("pk", "path")) == before


def test_a_concept_cannot_move_below_itself(hierarchy, at):
    for target in (at("Number"), at("Number", "Fractions"), at("Number", "Fractions", "Adding")):
        with pytest.raises(ValidationFailed, match="cannot move below itself: that would be a cycle"):
            concept_move(user=None, concept=at("Number"), parent=target)


def test_a_move_beside_a_namesake_too_deep_or_to_another_hierarchy_is_refused(hierarchy, at):
    ConceptFactory(hierarchy=hierarchy, names=("Algebra", "Fractions"))
    with pytest.raises(ValidationFailed, match="at this place"):
        concept_move(user=None, concept=at("Number", "Fractions"), parent=at("Algebra"))
    deep = ConceptFactory(hierarchy=hierarchy, names=[f"level {n}" for n in range(29)])
    with pytest.raises(ValidationFailed, match="at most 30 levels"):
        concept_move(user=None, concept=at("Number"), parent=deep)
    elsewhere = ConceptFactory(hierarchy=HierarchyFactory(), names=("X",))
    with pytest.raises(ValidationFailed, match="another hierarchy"):
        concept_move(user=None, concept=at("Number"), parent=elsewhere)
    with pytest.raises(ValidationFailed, match="another hierarchy"):
        concept_create(user=None, hierarchy=hierarchy, name="Y", parent=elsewhere)


def test_a_merge_brings_tags_and_children_without_repeats(hierarchy, at):
    ConceptFactory(hierarchy=hierarchy, names=("Algebra", "Ratios", "Adding", "Fast"))
    both = QuestionFactory(concepts=[at("Number", "Fractions", "Adding"), at("Algebra", "Ratios", "Adding")])
    only = QuestionFactory(concepts=[at("Number", "Fractions")])
    concept_merge(user=None, concept=at("Number", "Fractions"), target=at("Algebra", "Ratios"))
    assert paths(hierarchy) == {
        ("Number",),
        ("Number", "Decimals"),
        ("Algebra",),
        ("Algebra", "Equations"),
        ("Algebra", "Ratios"),
        ("Algebra", "Ratios", "Adding"),
        ("Algebra", "Ratios", "Adding", "Fast"),
        ("Algebra", "Ratios", "Comparing"),
    }
    assert [tag.concept for tag in both.tags.all()] == [at("Algebra", "Ratios", "Adding")]
    assert [tag.concept for tag in only.tags.all()] == [at("Algebra", "Ratios")]


def test_of_two_tags_that_become_one_the_persons_stays(hierarchy, at, teacher):
    question = QuestionFactory()
    gone, kept = at("Number", "Decimals"), at("Algebra", "Equations")
    QuestionTag.objects.create(question=question, concept=kept, set_by="model", probability=0.6)
    QuestionTag.objects.create(question=question, concept=gone, set_by="person", user=teacher)
    concept_merge(user=None, concept=gone, target=kept)
    assert list(question.tags.values_list("concept", "set_by", "user")) == [(kept.pk, "person", teacher.pk)]


def test_a_concept_merges_into_its_own_parent_even_with_a_child_of_its_name(hierarchy, at):
    ConceptFactory(hierarchy=hierarchy, names=("Number", "Fractions", "Fractions", "Deep"))
    concept_merge(user=None, concept=at("Number", "Fractions"), target=at("Number"))
    assert {("Number", "Adding"), ("Number", "Fractions"), ("Number", "Fractions", "Deep")} <= paths(hierarchy)
    assert ("Number", "Fractions", "Fractions") not in paths(hierarchy)


def test_a_merge_into_itself_below_itself_or_elsewhere_is_refused(hierarchy, at):
    elsewhere = ConceptFactory(hierarchy=HierarchyFactory(), names=("X",))
    for target, reason in (
        (at("Number"), "with itself"),
        (at("Number", "Fractions"), "that would be a cycle"),
        (elsewhere, "two hierarchies"),
    ):
        with pytest.raises(ValidationFailed, match=reason):
            concept_merge(user=None, concept=at("Number"), target=target)


def test_an_unused_concept_is_deleted_with_all_below_it(hierarchy, at):
    concept_delete(user=None, concept=at("Number", "Fractions"))
    assert paths(hierarchy) == {("Number",), ("Number", "Decimals"), ("Algebra",), ("Algebra", "Equations")}


def test_a_used_concept_is_deleted_only_with_a_target_for_its_tags(hierarchy, at):
    question = QuestionFactory(concepts=[at("Number", "Fractions", "Adding"), at("Number", "Fractions")])
    with pytest.raises(Conflict, match="1 question is tagged with 'Number' or a concept below it"):
        concept_delete(user=None, concept=at("Number"))
    with pytest.raises(ValidationFailed):
        concept_delete(user=None, concept=at("Number"), target=at("Number", "Decimals"))
    concept_delete(user=None, concept=at("Number"), target=at("Algebra"))
    assert paths(hierarchy) == {("Algebra",), ("Algebra", "Equations")}
    assert [tag.concept for tag in question.tags.all()] == [at("Algebra")]


def test_hierarchies_are_created_renamed_and_deleted_when_unused(hierarchy, at):
    hierarchy_create(user=None, name="physics")
    with pytest.raises(ValidationFailed, match="already"):
        hierarchy_create(user=None, name=" physics ")
    with pytest.raises(ValidationFailed, match="already"):
        hierarchy_rename(user=None, hierarchy=hierarchy, name="physics")
    with pytest.raises(ValidationFailed, match="1 to 200"):
        hierarchy_rename(user=None, hierarchy=hierarchy, name=" ")
    assert hierarchy_rename(user=None, hierarchy=hierarchy, name="mathematics").name == "mathematics"
    QuestionFactory(concepts=[at("Algebra")])
    with pytest.raises(Conflict, match="1 question"):
        hierarchy_delete(user=None, hierarchy=hierarchy)
    QuestionTag.objects.all().delete()
    model = ModelArtifact.objects.create(
        capability="probes", scope="mathematics", name="p", location="p", state="champion"
    )
    elsewhere = ModelArtifact.objects.create(capability="probes", scope="physics", name="q", state="champion")
    hierarchy_delete(user=None, hierarchy=hierarchy)
    assert not KnowledgeConcept.objects.exists()
    assert not ModelArtifact.objects.filter(pk=model.pk).exists()
    elsewhere.refresh_from_db()
    assert elsewhere.state == "champion"


def test_only_an_admin_edits_concepts(hierarchy, at, teacher, reviewer, admin_person):
    for person in (teacher, reviewer):
        for attempt in (
            lambda person=person: concept_create(user=person, hierarchy=hierarchy, name="X"),
            lambda person=person: concept_rename(user=person, concept=at("Number"), name="X"),
            lambda person=person: concept_move(user=person, concept=at("Number"), parent=None),
            lambda person=person: concept_merge(user=person, concept=at("Number"), target=at("Algebra")),
            lambda person=person: concept_delete(user=person, concept=at("Number")),
            lambda person=person: hierarchy_create(user=person, name="X"),
            lambda person=person: hierarchy_rename(user=person, hierarchy=hierarchy, name="X"),
            lambda person=person: hierarchy_delete(user=person, hierarchy=hierarchy),
        ):
            with pytest.raises(NotAllowed):
                attempt()
    assert concept_rename(user=admin_person, concept=at("Number"), name="Numbers").name == "Numbers"


def test_a_concept_that_is_gone_is_told(hierarchy, at):
    stale = at("Number", "Decimals")
    concept_delete(user=None, concept=stale)
    with pytest.raises(NotFound, match="no longer exists"):
        concept_rename(user=None, concept=stale, name="X")


def test_a_stale_concept_is_moved_from_where_it_is_now(hierarchy, at):
    stale = at("Number", "Fractions", "Adding")
    concept_move(user=None, concept=at("Number", "Fractions"), parent=at("Algebra"))
    concept_move(user=None, concept=stale, parent=at("Number"))
    assert {("Number", "Adding"), ("Algebra", "Fractions", "Comparing")} <= paths(hierarchy)


@pytest.mark.django_db(transaction=True)
def test_two_moves_at_once_that_would_close_a_cycle_end_with_one_refused():
    hierarchy = HierarchyFactory()
    concept_paths_ensure(hierarchy=hierarchy, paths=[("A",), ("B",)])
    known = concept_paths_known(hierarchy=hierarchy)
    pairs = [(known["A",], known["B",]), (known["B",], known["A",])]
    outcomes = at_once(lambda pair: concept_move(user=None, concept=pair[0], parent=pair[1]), pairs)
    moved, refused = sorted(outcomes, key=lambda outcome: isinstance(outcome, KindredError))
    assert isinstance(moved, KnowledgeConcept)
    assert "that would be a cycle" in str(refused)
    assert KnowledgeConcept.objects.find_problems() == ([], [], [], [], [])


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
