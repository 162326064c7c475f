"""The trees of concepts and editing them."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.models import KnowledgeConcept, KnowledgeHierarchy
from tests.factories import ConceptFactory, HierarchyFactory


def parent_of(concept: KnowledgeConcept) -> KnowledgeConcept | None:
    return KnowledgeConcept.objects.get_parent(concept)


def test_the_tree_shows_every_level_with_counts_of_its_subtree(bank, as_teacher) -> None:
    page = " ".join(as_teacher.get(reverse("concept_tree")).content.decode().split())
    for name, count in (("Algebra", 3), ("Equations", 3)):
        assert f'<span class="tree-line">{name}<span class="number">{count}</span>' in page
        assert re.search(rf"About {name} ?</a>", page)
    for name, count in (("Linear equations", 3), ("Circles", 1)):
        assert re.search(rf'>{name}</a> ?<span class="number">{count}</span>', page)


def test_each_hierarchy_has_its_own_tree(bank, as_teacher) -> None:
    second_hierarchy = HierarchyFactory(name="Another authority")
    ConceptFactory(hierarchy=second_hierarchy, names=("Topology",))
    assert "Topology" not in as_teacher.get(reverse("concept_tree"), {"hierarchy": bank.hierarchy.pk}).content.decode()
    assert "Topology" in as_teacher.get(reverse("concept_tree"), {"hierarchy": second_hierarchy.pk}).content.decode()


def test_an_empty_bank_has_a_friendly_tree_page(as_teacher) -> None:
    assert "No concepts yet" in as_teacher.get(reverse("concept_tree")).content.decode()


def test_a_concept_is_found_by_part_of_its_name(bank, as_teacher) -> None:
    response = as_teacher.get(reverse("concept_tree"), {"q": "fract"})
    assert [choice.id for choice in response.context["found"]] == [bank.fraction.pk]


def test_a_concept_s_page_shows_where_it_stands_and_its_questions(bank, as_teacher) -> None:
    equations = parent_of(bank.linear)
    page = as_teacher.get(reverse("concept_detail", args=[equations.pk])).content.decode()
    assert "Algebra" in page
    assert "3 ready questions" in page
    assert reverse("question_detail", args=[bank.questions[2].pk]) in page
    assert "Change it" not in page


def test_an_admin_adds_renames_and_deletes(bank, as_admin) -> None:
    as_admin.post(reverse("concept_create", args=[bank.hierarchy.pk]) + f"?parent={bank.circle.pk}", {"name": "Arcs"})
    arcs = KnowledgeConcept.objects.get(name="Arcs")
    assert parent_of(arcs) == bank.circle
    as_admin.post(reverse("concept_rename", args=[arcs.pk]), {"name": "Arc length"})
    arcs.refresh_from_db()
    assert arcs.name == "Arc length"
    as_admin.post(reverse("concept_change", args=[arcs.pk, "delete"]), {"target": ""})
    assert not KnowledgeConcept.objects.filter(pk=arcs.pk).exists()


def test_a_name_that_a_sibling_has_is_refused_beside_the_field(bank, as_admin) -> None:
    ConceptFactory(hierarchy=bank.hierarchy, names=("Geometry", "Triangles"))
    response = as_admin.post(reverse("concept_rename", args=[bank.circle.pk]), {"name": "Triangles"})
    assertContains(response, "already", status_code=422)


def test_moving_takes_the_subtree_along(bank, as_admin) -> None:
    equations, geometry = parent_of(bank.linear), parent_of(bank.circle)
    as_admin.post(reverse("concept_change", args=[equations.pk, "move"]), {"target": geometry.pk})
    bank.linear.refresh_from_db()
    assert [step.name for step in KnowledgeConcept.objects.get_ancestors(bank.linear)] == ["Geometry", "Equations"]


def test_a_cycle_is_refused_with_a_sentence(bank, as_admin) -> None:
    algebra = KnowledgeConcept.objects.get(name="Algebra")
    response = as_admin.post(reverse("concept_change", args=[algebra.pk, "move"]), {"target": bank.linear.pk})
    assertContains(response, "cycle", status_code=422)


def test_merging_moves_the_tags(bank, as_admin) -> None:
    response = as_admin.post(reverse("concept_change", args=[bank.circle.pk, "merge"]), {"target": bank.fraction.pk})
    assert response["Location"] == reverse("concept_detail", args=[bank.fraction.pk])
    assert [tag.concept for tag in bank.questions[3].tags.all()] == [bank.fraction]


def test_deleting_a_used_concept_asks_where_its_tags_shall_go(bank, as_admin) -> None:
    address = reverse("concept_change", args=[bank.circle.pk, "delete"])
    assertContains(as_admin.post(address, {"target": ""}), "choose a concept for their tags", status_code=422)
    as_admin.post(address, {"target": bank.fraction.pk})
    assert [tag.concept for tag in bank.questions[3].tags.all()] == [bank.fraction]


@pytest.mark.parametrize("change", ["move", "merge", "delete"])
def test_a_change_without_a_choice_changes_nothing(bank, as_admin, change) -> None:
    before = list(KnowledgeConcept.objects.values_list("pk", "path"))
    response = as_admin.post(reverse("concept_change", args=[bank.circle.pk, change]), {})
    assert response.status_code == 422
    assert list(KnowledgeConcept.objects.values_list("pk", "path")) == before


def test_the_search_for_a_new_place_leaves_out_the_concept_s_own_subtree(bank, as_admin) -> None:
    algebra = KnowledgeConcept.objects.get(name="Algebra")
    response = as_admin.get(reverse("concept_change", args=[algebra.pk, "move"]), {"q": "e"})
    paths = {choice.path for choice in response.context["found"]}
    assert ("Geometry",) in paths
    assert not any(path[0] == "Algebra" for path in paths)


def test_hierarchies_are_added_renamed_and_deleted_only_while_unused(bank, as_admin) -> None:
    as_admin.post(reverse("hierarchy_create"), {"name": "Mine"})
    mine = KnowledgeHierarchy.objects.get(name="Mine")
    as_admin.post(reverse("hierarchy_rename", args=[mine.pk]), {"name": "Ours"})
    mine.refresh_from_db()
    assert mine.name == "Ours"
    as_admin.post(reverse("hierarchy_delete", args=[mine.pk]))
    assert not KnowledgeHierarchy.objects.filter(pk=mine.pk).exists()
    used = as_admin.post(reverse("hierarchy_delete", args=[bank.hierarchy.pk]))
    assert used.status_code == 409
    assert KnowledgeHierarchy.objects.filter(pk=bank.hierarchy.pk).exists()
