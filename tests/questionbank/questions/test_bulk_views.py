"""Choosing questions in the search, changing them together, and taking them along."""

from __future__ import annotations

import csv
import io
import json

from django.test import Client
from pytest_django.asserts import assertContains

from questionbank.models import BulkChange, Question, QuestionList
from questionbank.questions import bulk_views as bulk_changes
from questionbank.questions import list_views as question_lists
from tests.factories import QuestionFactory
from tests.questionbank.small_bank import add_concept

SELECTED = "/questions/selected/"


def as_(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_the_search_offers_ticks_and_all_that_match(bank, as_teacher) -> None:
    page = as_teacher.get("/questions/", {"grade": "7"}).content.decode()
    number = Question.objects.filter(grade="7").count()
    assert page.count('name="id" value="') == number
    assert f"Select all {number} that match" in page or "Select the 1 that matches" in page
    assert '<input type="hidden" name="grade" value="7">' in page


def test_all_that_match_are_previewed_changed_and_given_back(bank, admin_person) -> None:
    client = as_(admin_person)
    address = f"{SELECTED}?all=1&status=ready&kind=source&set-source=Our+book&preview=1"
    preview = client.get(address)
    assert preview.context["plan"].changing == len(bank.questions)
    assert f"Change {len(bank.questions)} questions" in preview.content.decode()
    assert not Question.objects.filter(source="Our book").exists()
    done = client.post(address, {"fingerprint": preview.context["plan"].fingerprint}, follow=True)
    assert Question.objects.filter(source="Our book").count() == len(bank.questions)
    assert f"{len(bank.questions)} questions changed." in done.content.decode()
    change = BulkChange.objects.get()
    undone = client.post(f"/questions/changes/{change.pk}/undo/", follow=True).content.decode()
    assert "Undone by" in undone
    assert not Question.objects.filter(source="Our book").exists()
    assert "Set the source: Our book" in client.get("/questions/changes/").content.decode()


def test_what_changed_since_the_preview_is_shown_once_more(bank, admin_person) -> None:
    client = as_(admin_person)
    address = f"{SELECTED}?all=1&kind=retire"
    seen = client.get(address).context["plan"].fingerprint
    QuestionFactory()
    again = client.post(address, {"fingerprint": seen})
    assertContains(again, "The questions have changed since the preview")
    assert not BulkChange.objects.exists()


def test_teachers_see_what_is_left_out_and_why(bank, as_teacher) -> None:
    ids = "&".join(f"id={question.pk}" for question in bank.questions)
    response = as_teacher.get(f"{SELECTED}?{ids}&kind=retire")
    own = [question for question in bank.questions if question.created_by_id]
    assert response.context["plan"].changing == len(own)
    assert "Teachers can change only questions that they wrote themselves." in response.content.decode()


def test_concepts_are_found_by_name_and_changed(bank, admin_person) -> None:
    concept = add_concept("Sets", "Venn diagrams", hierarchy="Second hierarchy")
    client = as_(admin_person)
    page = client.get(f"{SELECTED}?all=1&kind=concepts&concept_query=venn")
    assert f'name="set-add" value="{concept.pk}"' in page.content.decode()
    assert f'name="set-remove" value="{bank.linear.pk}"' in page.content.decode()
    address = f"{SELECTED}?all=1&kind=concepts&set-add={concept.pk}&set-remove={bank.linear.pk}&preview=1"
    client.post(address, {"fingerprint": client.get(address).context["plan"].fingerprint})
    assert concept.question_tags.count() == len(bank.questions)
    assert not bank.linear.question_tags.exists()


def test_a_value_that_makes_no_sense_is_refused_by_its_field(bank, admin_person) -> None:
    client = as_(admin_person)
    for query, sentence in (
        ("kind=difficulty&set-difficulty=9&set-difficulty_scale=1-5", "Between 1 and 5 on this scale."),
        ("kind=concepts", "Choose a concept to add"),
        ("kind=concepts&set-add=999999", "no longer exists"),
    ):
        response = client.get(f"{SELECTED}?all=1&{query}&preview=1")
        assert sentence in response.content.decode()
        assert response.context["plan"] is None
    for query in ("", "id=x&id=-1&id=" + "9" * 30, "all=1&q=qqqq", "all=1&kind=nonsense"):
        assert client.get(f"{SELECTED}?{query}").status_code == 200


def test_all_that_match_are_added_to_a_list_as_far_as_it_holds_them(bank, as_teacher, monkeypatch) -> None:
    address = f"/lists/add/?concept={bank.linear.pk}&all=1"
    page = as_teacher.get(f"{SELECTED}?all=1&concept={bank.linear.pk}").content.decode()
    assert address.replace("&", "&amp;") in page
    matching = list(Question.objects.filter(tags__concept=bank.linear).order_by("pk").values_list("pk", flat=True))
    form = as_teacher.get(address)
    assert [question.pk for question in form.context["questions"]] == matching
    as_teacher.post("/lists/add/", {"question": matching, "name": "Linear"})
    items = QuestionList.objects.get(name="Linear").items
    assert list(items.values_list("question_id", flat=True)) == matching
    assert as_teacher.get("/lists/add/?all=1&q=qqqq").status_code == 404

    for module in (bulk_changes, question_lists):
        monkeypatch.setattr(module, "LONGEST_LIST", len(matching) - 1)
    sentence = f"A list holds up to {len(matching) - 1} questions. Select fewer to add them to a list."
    page = as_teacher.get(f"{SELECTED}?all=1&concept={bank.linear.pk}").content.decode()
    assert sentence in page
    assert "/lists/add/?concept" not in page
    assert sentence in as_teacher.get(address, follow=True).content.decode()


def test_a_search_is_exported_as_it_stands(bank, as_teacher) -> None:
    response = as_teacher.get(f"{SELECTED}jsonl/?all=1&concept={bank.linear.pk}")
    lines = [json.loads(line) for line in b"".join(response.streaming_content).decode().splitlines()]
    assert {line["text"] for line in lines} == {
        question.text for question in Question.objects.filter(tags__concept=bank.linear)
    }
    assert response["Content-Disposition"] == 'attachment; filename="questions.jsonl"'
    ticked = bank.questions[0]
    response = as_teacher.get(f"{SELECTED}csv/?id={ticked.pk}")
    table = io.StringIO(b"".join(response.streaming_content).decode("utf-8-sig"))
    assert [row["text"] for row in csv.DictReader(table)] == [ticked.text]
    assert as_teacher.get(f"{SELECTED}docx/?all=1").status_code == 404
