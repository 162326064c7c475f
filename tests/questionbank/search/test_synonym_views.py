"""The page of synonyms: admins change them, searches know them, the history names who did."""

from __future__ import annotations

from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.models import SynonymGroup


def test_an_added_synonym_finds_tagged_questions_and_stands_in_the_history(bank, as_admin) -> None:
    terms = "Circles\nround things"
    response = as_admin.post(reverse("synonym_create"), {"terms": terms})
    assert response.status_code == 302
    page = as_admin.get("/questions/", {"q": "round things"}).context["page"]
    assert [hit.match.name for hit in page.concepts] == ["Circles"]
    assert page.hits[0].found_by[0] == "concept"
    group = SynonymGroup.objects.get(terms=["Circles", "round things"])
    as_admin.post(reverse("synonym_edit", args=[group.pk]), {"terms": "Circles\nround figures"})
    as_admin.post(reverse("synonym_delete", args=[group.pk]))
    listed = as_admin.get(reverse("synonym_list"))
    assert [(change.before, change.after) for change in listed.context["changes"]] == [
        ("Circles, round figures", ""),
        ("Circles, round things", "Circles, round figures"),
        ("", "Circles, round things"),
    ]
    assert {change.who for change in listed.context["changes"]} == {"admin"}


def test_a_term_of_another_group_is_refused_beside_the_field(as_admin) -> None:
    response = as_admin.post(reverse("synonym_create"), {"terms": "HCF\nsomething new"})
    assertContains(response, "is in the group", status_code=422)


def test_teachers_read_and_find_terms(as_teacher) -> None:
    page = as_teacher.get(reverse("synonym_list"), {"q": "sohcah"})
    assert [group.terms[0] for group in page.context["groups"]] == ["right-angled triangle trigonometry"]
    assert "Add synonyms" not in page.content.decode()
