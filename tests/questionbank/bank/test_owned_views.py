"""Who sees lists, worksheets, test papers and sets of responses: choosing it, its history, and its undo."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.bank.list_services import question_list_create
from questionbank.core.errors import NotAllowed, ValidationFailed
from questionbank.models import DocumentDraft, ItemStatistics, QuestionList, QuestionUse, ResponseSet, School, Worksheet
from questionbank.people.owned import row_show
from questionbank.responses.response_table import PublishedFigures, ResponseTable
from questionbank.responses.set_services import SetDetails, responses_import, responses_plan
from questionbank.responses.table_cells import QuestionReference
from questionbank.worksheets.services import worksheet_create, worksheet_use
from tests.factories import QuestionFactory, UserFactory
from tests.questionbank.api_client import Program

pytestmark = pytest.mark.django_db


@pytest.fixture
def hill(teacher, django_user_model) -> School:
    """A school of the teacher and of a colleague."""
    school = School.objects.create(name="Hill School", slug="hill")
    school.people.add(teacher, _teacher(django_user_model, "colleague"))
    teacher.refresh_from_db()
    return school


@pytest.fixture
def vale(django_user_model) -> School:
    """A school of a stranger."""
    school = School.objects.create(name="Vale School", slug="vale")
    school.people.add(_teacher(django_user_model, "stranger"))
    return school


def _teacher(django_user_model, name: str) -> Any:
    person = django_user_model.objects.create_user(name)
    person.groups.add(Group.objects.get(name="teacher"))
    return person


def browser(django_user_model, name: str) -> Client:
    client = Client()
    client.force_login(django_user_model.objects.get(username=name))
    return client


MAKE = {
    "list": lambda owner: question_list_create(user=owner, name="Heron homework"),
    "worksheet": lambda owner: worksheet_create(user=owner, name="Heron test"),
    "document": lambda owner: DocumentDraft.objects.create(owner=owner, name="Heron paper", state="ready"),
    "response_set": lambda owner: ResponseSet.objects.create(owner=owner, title="Heron results", visibility="private"),
}
PAGES = {  # kind -> its page, the page that lists it, and the address of its choice
    "list": ("list_detail", "list_index", "list_visibility"),
    "worksheet": ("worksheet_detail", "worksheet_index", "worksheet_visibility"),
    "document": ("document_review", "document_create", "document_visibility"),
    "response_set": ("response_set_detail", "response_set_list", "response_set_visibility"),
}


@pytest.mark.parametrize("kind", MAKE)
def test_a_school_sees_what_is_shown_to_it_and_another_one_does_not(hill, vale, teacher, django_user_model, kind):
    row = MAKE[kind](teacher)
    page, index, choice = PAGES[kind]
    own, colleague, stranger = (browser(django_user_model, name) for name in ("teacher", "colleague", "stranger"))
    here, listed = reverse(page, args=[row.pk]), reverse(index)
    assert colleague.get(here).status_code == stranger.get(here).status_code == 404
    assert own.post(reverse(choice, args=[row.pk]), {"visible_to": "hill"}).status_code == 302
    assertContains(colleague.get(here), "Heron")
    assertContains(colleague.get(listed), "Heron")
    assert stranger.get(here).status_code == 404
    assert stranger.post(reverse(choice, args=[row.pk]), {"visible_to": "all"}).status_code == 404
    assert "Heron" not in stranger.get(listed).content.decode()
    assert colleague.post(reverse(choice, args=[row.pk]), {"visible_to": "all"}).status_code == 403
    own.post(reverse(choice, args=[row.pk]), {"visible_to": "all"})
    assertContains(stranger.get(here), "Heron")


def choosing(client: Client, kind: str, pk: int) -> str:
    """Return the page with the choice, as people read it."""
    page = "worksheet_layout" if kind == "worksheet" else PAGES[kind][0]
    return " ".join(client.get(reverse(page, args=[pk])).content.decode().split())


@pytest.mark.parametrize("kind", MAKE)
def test_the_history_says_who_moved_it_and_undo_moves_it_back(hill, as_teacher, teacher, kind) -> None:
    row = MAKE[kind](teacher)
    assert "Undo" not in choosing(as_teacher, kind, row.pk) or kind == "document"
    address = reverse(PAGES[kind][2], args=[row.pk])
    as_teacher.post(address, {"visible_to": "hill"})
    as_teacher.post(address, {"visible_to": "hill"})  # changes nothing
    shown = choosing(as_teacher, kind, row.pk)
    assert shown.count("from “") == 1
    assert "from “Only its author” to “Hill School” by teacher" in shown
    assert '<button class="button button-small" name="visible_to" value="private">' in shown
    as_teacher.post(address, {"visible_to": "private"})
    assert "from “Hill School” to “Only its author” by teacher" in choosing(as_teacher, kind, row.pk)
    row.refresh_from_db()
    assert row.audience == -teacher.pk


def test_a_move_out_of_a_school_that_is_gone_cannot_be_undone(hill, as_teacher, teacher) -> None:
    row = MAKE["list"](teacher)
    for to in ("hill", "all"):
        row_show(user=teacher, row=row, visible_to=to)
    hill.people.clear()
    hill.delete()
    shown = choosing(as_teacher, "list", row.pk)
    assert "from “a deleted school” to “Everybody”" in shown
    assert 'name="visible_to" value=' not in shown


@pytest.mark.parametrize("to", ["vale", "nowhere", "school", "x" * 200])
def test_nobody_shows_anything_to_a_school_that_is_not_theirs(hill, vale, as_teacher, teacher, to) -> None:
    row = MAKE["list"](teacher)
    assert as_teacher.post(reverse("list_visibility", args=[row.pk]), {"visible_to": to}).status_code == 422
    with pytest.raises(ValidationFailed, match="Choose a school that you belong to"):
        row_show(user=teacher, row=row, visible_to=to)


def test_an_admin_moves_what_is_shared_and_reads_nothing_private(hill, vale, as_admin, admin_person, teacher) -> None:
    row = MAKE["list"](teacher)
    assert as_admin.get(reverse("list_detail", args=[row.pk])).status_code == 404
    with pytest.raises(NotAllowed):
        row_show(user=admin_person, row=row, visible_to="all")
    row_show(user=teacher, row=row, visible_to="hill")
    as_admin.post(reverse("list_visibility", args=[row.pk]), {"visible_to": "vale"})
    row.refresh_from_db()
    assert row.school == vale
    assert as_admin.get(reverse("list_edit", args=[row.pk])).status_code == 404


def test_an_admin_gives_responses_without_an_owner_to_a_school(hill, as_admin) -> None:
    made = ResponseSet.objects.create(title="Heron results", visibility="private")  # as when their school is deleted
    assertContains(as_admin.get(reverse("response_set_detail", args=[made.pk])), "Visible to")
    as_admin.post(reverse("response_set_visibility", args=[made.pk]), {"visible_to": "hill"})
    made.refresh_from_db()
    assert made.school == hill


def test_a_colleague_reads_a_paper_and_cannot_change_it(hill, teacher, django_user_model) -> None:
    paper = DocumentDraft.objects.create(
        owner=teacher,
        name="Heron paper",
        state="ready",
        lines=[{"text": "How much is 2 + 3?", "number": "1."}],
        roles=["question:numbered"],
        visibility="school",
        school=hill,
    )
    colleague = browser(django_user_model, "colleague")
    address = reverse("document_review", args=[paper.pk])
    shown = colleague.get(address).content.decode()
    assert "How much is 2 + 3?" in shown
    assert "<fieldset disabled>" in shown
    assert 'id="import"' not in shown
    assert colleague.post(address, {"do": "out:0"}).status_code == 403
    for name in ("document_import", "document_delete"):
        assert colleague.post(reverse(name, args=[paper.pk])).status_code == 404
    assert "<fieldset disabled>" not in browser(django_user_model, "teacher").get(address).content.decode()


# --- without schools, and what a person has by default -------------------------------------------


def test_without_schools_a_thing_is_its_owners_or_everybodys(as_teacher, teacher) -> None:
    row = MAKE["list"](teacher)
    shown = choosing(as_teacher, "list", row.pk)
    assert [f'value="{value}"' in shown for value in ("all", "private")] == [True, True]
    assert shown.count("<option") == 2


def test_a_new_list_is_private_and_a_new_set_of_responses_is_its_school_s(hill, vale, teacher) -> None:
    assert MAKE["list"](teacher).audience == -teacher.pk
    assert MAKE["worksheet"](teacher).audience == -teacher.pk
    plan = _plan()
    for schools, expected in (([hill], hill.pk), ([hill, vale], -teacher.pk), ([], 0)):
        teacher.schools.set(schools)
        teacher.refresh_from_db()
        made = responses_import(plan=plan, details=SetDetails("Test"), user=teacher)
        made.refresh_from_db()
        assert made.audience == expected


def _plan() -> Any:
    question = QuestionFactory()
    table = ResponseTable(kind="Table", questions=[QuestionReference(name=f"Question {question.pk}")])
    table.published = [PublishedFigures(line=2, question=0, people=20, figures={"facility": 0.5})]
    return responses_plan(table=table, user=None, chosen={0: question.pk})


def test_a_question_s_page_names_the_classes_that_a_person_sees(hill, vale, teacher, as_admin, django_user_model):
    question = QuestionFactory()
    for title, owner, school in (("Herons 7b", teacher, hill), ("Storks 8a", None, vale)):
        made = ResponseSet.objects.create(title=title, owner=owner, layout="Table", visibility="school", school=school)
        ItemStatistics.objects.create(question=question, response_set=made, people=20, figures={"facility": 0.5})
    address = reverse("question_detail", args=[question.pk])
    seen = {"admin": as_admin} | {name: browser(django_user_model, name) for name in ("colleague", "stranger")}
    pages = {name: client.get(address).content.decode() for name, client in seen.items()}
    assert {name: ("Herons" in page, "Storks" in page) for name, page in pages.items()} == {
        "admin": (True, True), "colleague": (True, False), "stranger": (False, True),
    }  # fmt: skip


def test_use_on_a_worksheet_is_told_to_its_school_alone(hill, vale, teacher, django_user_model) -> None:
    question = QuestionFactory()
    worksheet = worksheet_create(user=teacher, name="Heron test")
    worksheet_use(user=teacher, worksheet=worksheet, question_ids=[question.pk])
    assert QuestionUse.unrestricted.get().audience == hill.pk
    address = reverse("question_detail", args=[question.pk])
    assertContains(browser(django_user_model, "colleague").get(address), "a worksheet of teacher")
    assert "Use on worksheets" not in browser(django_user_model, "stranger").get(address).content.decode()


def test_the_name_of_a_list_is_not_kept_on_a_worksheet_once_it_is_hidden(hill, vale, teacher, django_user_model):
    theirs = MAKE["list"](teacher)
    row_show(user=teacher, row=theirs, visible_to="all")
    stranger = django_user_model.objects.get(username="stranger")
    worksheet = Worksheet.objects.create(owner=stranger, name="Mine", source_list=theirs)
    address = reverse("worksheet_edit", args=[worksheet.pk])
    assertContains(browser(django_user_model, "stranger").get(address), "Heron homework")
    row_show(user=teacher, row=theirs, visible_to="hill")
    assert "Heron" not in browser(django_user_model, "stranger").get(address).content.decode()


def test_names_stay_distinct_among_all_lists_of_a_person(hill, teacher) -> None:
    row = MAKE["list"](teacher)
    row_show(user=teacher, row=row, visible_to="hill")
    hill.people.clear()
    teacher.refresh_from_db()
    with pytest.raises(ValidationFailed, match="already have"):
        MAKE["list"](teacher)


# --- the API -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MAKE)
def test_programs_choose_and_read_who_sees_it(hill, vale, teacher, kind) -> None:
    row, program = MAKE[kind](teacher), Program(teacher)
    path = {"document": "papers", "response_set": "responses"}.get(kind, f"{kind}s")

    def change(**body: Any) -> Any:
        response = program("PATCH", f"/{path}/{row.pk}", body)
        return response.json() if response.status_code == 200 else response.status_code

    def shown(item: dict[str, Any]) -> tuple[Any, ...]:
        return item["visibility"], item["school"], item["is_shared"]

    assert shown(program("GET", f"/{path}/{row.pk}").json()) == ("private", None, False)
    assert shown(change(visible_to="hill")) == ("school", "hill", True)
    assert shown(change(is_shared=False)) == ("private", None, False)
    assert shown(change(is_shared=True)) == ("school", "hill", True)
    assert shown(change(visible_to="all")) == ("all", None, True)
    assert change(visible_to="vale") == change(visible_to="all", is_shared=True) == 422
    assert [shown(item) for item in program("GET", f"/{path}").json()["items"]] == [("all", None, True)]


def test_programs_learn_the_short_names_of_their_schools(hill, vale, teacher, admin_person) -> None:
    named = [Program(person)("GET", "/me").json()["schools"] for person in (teacher, admin_person)]
    assert named == [["hill"], ["hill", "vale"]]


def test_without_a_school_sharing_is_with_everybody(teacher) -> None:
    row, program = MAKE["list"](teacher), Program(teacher)
    assert program("PATCH", f"/lists/{row.pk}", {"is_shared": True}).json()["visibility"] == "all"
    assert QuestionList.objects.get().audience == 0
    assert UserFactory().school_ids == []
