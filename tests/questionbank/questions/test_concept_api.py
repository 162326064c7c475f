"""Hierarchies and concepts over the API."""

from __future__ import annotations

import pytest

from questionbank.models import KnowledgeConcept, KnowledgeHierarchy
from tests.factories import ConceptFactory, QuestionFactory
from tests.questionbank.api_client import Program


@pytest.fixture
def program(admin_person) -> Program:
    return Program(admin_person)


def test_a_hierarchy_grows(program) -> None:
    hierarchy = program("POST", "/hierarchies", {"name": "School"}).json()["id"]
    algebra = program("POST", "/concepts", {"name": "Algebra", "hierarchy": hierarchy}).json()
    made = program("POST", "/concepts", {"name": "Equations", "hierarchy": hierarchy, "parent": algebra["id"]})
    assert made.json()["path"] == ["Algebra", "Equations"]
    assert program("GET", made["Location"].removeprefix("/api/v1")).json() == made.json()
    assert program("GET", "/hierarchies").json() == [{"id": hierarchy, "name": "School", "concepts": 2}]
    listed = program("GET", f"/concepts?hierarchy={hierarchy}").json()["items"]
    assert [concept["name"] for concept in listed] == ["Equations", "Algebra"]


def test_a_concept_is_renamed_and_moved_at_once(program) -> None:
    moved = ConceptFactory(names=("Algebra", "Equations"))
    parent = ConceptFactory(hierarchy=moved.hierarchy, names=("Number",))
    path = f"/concepts/{moved.pk}"
    assert program("PATCH", path, {"name": "Sums", "parent": parent.pk}).json()["path"] == ["Number", "Sums"]
    assert program("PATCH", path, {"parent": None}).json()["path"] == ["Sums"]
    assert program("PATCH", path, {"name": "Totals"}).json()["path"] == ["Totals"]
    response = program("PATCH", path, {"name": "Lost", "parent": 10**9})
    assert list(response.json()["error"]["fields"]) == ["parent"]
    assert KnowledgeConcept.objects.get(pk=moved.pk).name == "Totals"


def test_half_of_a_change_is_undone_with_the_other_half(program) -> None:
    moved = ConceptFactory(names=("Algebra", "Equations"))
    parent = ConceptFactory(hierarchy=moved.hierarchy, names=("Number",))
    ConceptFactory(hierarchy=moved.hierarchy, names=("Number", "Sums"))
    response = program("PATCH", f"/concepts/{moved.pk}", {"name": "Sums", "parent": parent.pk})
    assert response.status_code == 422
    assert program("GET", f"/concepts/{moved.pk}").json()["path"] == ["Algebra", "Equations"]


def test_a_merged_concept_leaves_its_tags_to_the_other(program) -> None:
    old = ConceptFactory(names=("Sums",))
    new = ConceptFactory(hierarchy=old.hierarchy, names=("Addition",))
    question = QuestionFactory(concepts=[old])
    assert program("POST", f"/concepts/{old.pk}/merge", {"into": new.pk}).json()["id"] == new.pk
    assert program("GET", f"/concepts/{old.pk}").status_code == 404
    assert question.tags.get().concept_id == new.pk


def test_what_is_in_use_is_not_deleted(program) -> None:
    concept = ConceptFactory(names=("Sums",))
    question = QuestionFactory(concepts=[concept])
    assert program("DELETE", f"/concepts/{concept.pk}").status_code == 409
    assert program("DELETE", f"/hierarchies/{concept.hierarchy_id}").status_code == 409
    question.tags.all().delete()
    assert program("DELETE", f"/concepts/{concept.pk}").status_code == 204
    assert program("DELETE", f"/hierarchies/{concept.hierarchy_id}").status_code == 204
    assert not KnowledgeHierarchy.objects.exists()


def test_an_edit_of_another_version_is_refused(program) -> None:
    concept = ConceptFactory(names=("Sums",))
    for path in (f"/concepts/{concept.pk}", f"/hierarchies/{concept.hierarchy_id}"):
        etag = program("GET", path)["ETag"]
        assert program("PATCH", path, {"name": "Totals"}, If_Match=etag).status_code == 200
        assert program("PATCH", path, {"name": "Sums"}, If_Match=etag).status_code == 412
        assert program("DELETE", path, If_Match=etag).status_code == 412


def test_two_namesakes_are_refused(program) -> None:
    concept = ConceptFactory(names=("Sums",))
    body = {"name": "Sums", "hierarchy": concept.hierarchy_id}
    assert program("POST", "/concepts", body).status_code == 422
    assert program("POST", "/hierarchies", {"name": concept.hierarchy.name}).status_code == 422


def test_concepts_are_found_by_a_part_of_their_name(program) -> None:
    sums = ConceptFactory(names=("Number", "Sums"))
    found = program("GET", "/concepts?name=sUm").json()["items"]
    assert [concept["id"] for concept in found] == [sums.pk]
    assert program("GET", "/concepts?name=%25").json()["items"] == []
