"""Schools: their pages and command, who belongs to them, quotas, and what happens to their things."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.core.management import CommandError, call_command
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.bank.bulk_services import bulk_change_request
from questionbank.bank.list_services import question_list_create
from questionbank.core.errors import ImportRefused, NotAllowed, NotFound, ValidationFailed
from questionbank.imports.options import ImportOptions
from questionbank.imports.pipeline import ImportTask, import_into_bank
from questionbank.imports.services import upload_keep
from questionbank.models import BulkChange, Question, QuestionList, Run, School, User
from questionbank.people.owned import row_show
from questionbank.people.permissions import viewing_as
from questionbank.people.school_selectors import school_use
from questionbank.people.school_services import school_create, school_delete, school_update, upload_fits
from tests.factories import QuestionFactory
from tests.questionbank.small_bank import write_question

pytestmark = pytest.mark.django_db


@pytest.fixture
def hill(teacher) -> School:
    """The teacher's school."""
    school = school_create(user=None, name="Hill School")
    school.people.add(teacher)
    teacher.refresh_from_db()
    return school


def test_an_admin_adds_renames_and_deletes_a_school(as_admin) -> None:
    as_admin.post(reverse("school_list"), {"name": "  Hill   School "})
    school = School.objects.get()
    assert (school.name, school.slug) == ("Hill School", "hill-school")
    page = reverse("school_detail", args=[school.pk])
    assert as_admin.post(page, {"name": "Vale School", "most_questions": "5"})["Location"] == page
    school.refresh_from_db()
    assert (school.name, school.slug, school.most_questions, school.most_megabytes) == (
        "Vale School", "hill-school", 5, None,
    )  # fmt: skip
    assertContains(as_admin.get(reverse("change_list")), "renamed the school “Hill School” to “Vale School”")
    as_admin.post(reverse("school_delete", args=[school.pk]), {"to": "all"})
    assert not School.objects.exists()
    assertContains(as_admin.get(reverse("change_list")), "deleted the school “Vale School”")


@pytest.mark.parametrize(
    ("name", "problem"),
    [("", "This field is required"), ("hill school", "There is a school with this name already"), ("x" * 121, "120")],
)
def test_a_name_that_cannot_be_is_refused_beside_it(as_admin, hill, name, problem) -> None:
    assertContains(as_admin.post(reverse("school_list"), {"name": name}), problem, status_code=422)


@pytest.mark.parametrize(("name", "slug"), [("All", "all-2"), ("Hill-School!", "hill-school-2"), ("学校", "school-2")])
def test_a_short_name_is_its_own_and_means_nothing_else(hill, name, slug) -> None:
    assert school_create(user=None, name=name).slug == slug


def test_only_admins_change_schools(hill, teacher) -> None:
    with pytest.raises(NotAllowed):
        school_create(user=teacher, name="Vale School")
    with pytest.raises(NotAllowed):
        school_delete(user=teacher, school=hill, to="all")


def test_people_belong_to_the_schools_chosen_on_their_page(as_admin, hill, reviewer) -> None:
    page = reverse("person_detail", args=[reviewer.pk])
    as_admin.post(page, {"roles": ["reviewer"], "schools": [hill.pk]})
    assert User.objects.get(pk=reviewer.pk).school_ids == [hill.pk]
    assertContains(as_admin.get(reverse("person_list"), {"school": hill.pk}), reviewer.username)
    assertContains(as_admin.get(reverse("change_list")), "added reviewer to Hill School")
    as_admin.post(page, {"roles": ["reviewer"]})
    assert User.objects.get(pk=reviewer.pk).school_ids == []
    assert reviewer.username not in as_admin.get(reverse("person_list"), {"school": hill.pk}).content.decode()
    assertContains(as_admin.get(reverse("change_list")), "took reviewer out of Hill School")


def test_without_schools_no_page_asks_for_one(as_admin, teacher) -> None:
    for address in (reverse("person_detail", args=[teacher.pk]), reverse("person_invite")):
        assert 'name="schools"' not in as_admin.get(address).content.decode()
    assert 'name="school"' not in as_admin.get(reverse("person_list")).content.decode()


def test_somebody_is_invited_to_a_school(as_admin, hill) -> None:
    as_admin.post(reverse("person_invite"), {"username": "ada", "roles": ["teacher"], "schools": [hill.pk]})
    assert User.objects.get(username="ada").school_ids == [hill.pk]


@pytest.mark.parametrize("to", ["all", "private", "vale-school"])
def test_the_things_of_a_deleted_school_go_where_the_admin_says(hill, teacher, to) -> None:
    vale = school_create(user=None, name="Vale School")
    question = QuestionFactory(visibility="school", school=hill, created_by=teacher)
    made = question_list_create(user=teacher, name="Homework")
    row_show(user=teacher, row=made, visible_to=hill.slug)
    assert school_delete(user=None, school=hill, to=to) == 2
    expected = {"all": 0, "private": -teacher.pk, "vale-school": vale.pk}[to]
    assert Question.objects.get(pk=question.pk).audience == expected
    assert QuestionList.objects.get(pk=made.pk).audience == expected
    assert User.objects.get(pk=teacher.pk).school_ids == []


def test_what_has_no_author_is_seen_by_admins_alone_then(hill, teacher) -> None:
    question = QuestionFactory(visibility="school", school=hill)
    school_delete(user=None, school=hill, to="private")
    assert Question.objects.filter(pk=question.pk).exists()
    with viewing_as(teacher):
        assert not Question.objects.filter(pk=question.pk).exists()


@pytest.mark.parametrize(("to", "said"), [("hill-school", "Choose"), ("nowhere", "no school"), ("school", "no school")])
def test_a_school_leaves_its_things_to_nobody_who_is_not_there(hill, to, said) -> None:
    with pytest.raises(ValidationFailed, match=said):
        school_delete(user=None, school=hill, to=to)
    assert School.objects.filter(pk=hill.pk).exists()


def test_a_school_that_another_admin_has_just_deleted_is_not_there(hill) -> None:
    school_delete(user=None, school=School.objects.get(), to="all")
    with pytest.raises(NotFound, match="There is no such school"):
        school_delete(user=None, school=hill, to="all")
    with pytest.raises(NotFound, match="There is no such school"):
        school_update(user=None, school=hill, name="Hill", most_questions=1, most_megabytes=1)


def test_a_list_of_another_keeps_its_place_for_a_question_of_a_deleted_school(as_reviewer, hill, teacher, reviewer):
    made = question_list_create(user=reviewer, name="Homework")
    made.items.create(question=QuestionFactory(text="A heron?", visibility="school", school=hill), position=1)
    page = as_reviewer.get(reverse("list_detail", args=[made.pk])).content.decode()
    assert "You may not see 1 question of this list" in " ".join(page.split())
    assert "heron" not in page
    assert "This list is empty" not in page
    school_delete(user=None, school=hill, to="all")
    assert "heron" in as_reviewer.get(reverse("list_detail", args=[made.pk])).content.decode()


# --- quotas --------------------------------------------------------------------------------------


@pytest.fixture
def full(hill) -> School:
    """The school has the one question that it may have."""
    QuestionFactory(visibility="school", school=hill)
    return school_update(user=None, school=hill, name=hill.name, most_questions=1, most_megabytes=0)


FULL = "Hill School may have 1 question and has 1, so 1 more question does not fit. Ask an admin for more room."


def test_a_full_school_takes_no_more_questions(full, teacher, jsonl) -> None:
    with pytest.raises(ValidationFailed, match="may have 1") as refused:
        write_question("How much is $2 + 3$?", visible_to=full.slug)
    assert str(refused.value) == FULL
    question = QuestionFactory(created_by=teacher)
    with pytest.raises(ValidationFailed, match="may have 1"):
        bulk_change_request(
            user=teacher,
            kind=BulkChange.Kind.VISIBILITY,
            values={"visible_to": full.slug},
            question_ids=[question.pk],
            selection={},
        )
    task = ImportTask(jsonl({"text": "How much is $2 + 4$?"}), ImportOptions(source="Set", visible_to=full.slug))
    with pytest.raises(ImportRefused, match="may have 1"):
        import_into_bank(task)
    assert school_use(school=full).questions == 1
    write_question("How much is $2 + 3$?")


@pytest.mark.parametrize(
    ("kind", "values"), [(BulkChange.Kind.VISIBILITY, {"visible_to": "all"}), (BulkChange.Kind.DELETE_DRAFTS, {})]
)
def test_questions_come_back_to_a_full_school_only_if_they_fit(as_teacher, full, teacher, kind, values) -> None:
    draft = Question.objects.get()
    Question.objects.update(created_by=teacher, status=Question.Status.DRAFT)
    change = bulk_change_request(user=teacher, kind=kind, values=values, question_ids=[draft.pk], selection={})
    other = QuestionFactory(visibility="school", school=full)
    undo = reverse("bulk_change_undo", args=[change.pk])
    assertContains(as_teacher.post(undo), FULL, status_code=422)
    assert [question.pk for question in Question.objects.filter(school=full)] == [other.pk]
    other.delete()
    as_teacher.post(undo)
    assert [question.pk for question in Question.objects.filter(school=full)] == [draft.pk]


def test_a_question_to_write_for_a_full_school_is_not_lost(as_teacher, full) -> None:
    fields = {"text": "How much is $2 + 3$?", "language": "en", "kind": "open", "status": "ready"}
    response = as_teacher.post(reverse("question_create"), {**fields, "visible_to": full.slug, "action": "save"})
    assertContains(response, "Ask an admin for more room", status_code=422)
    assertContains(response, "How much is", status_code=422)


def test_a_school_without_room_takes_no_more_files(full, teacher) -> None:
    with pytest.raises(ValidationFailed, match="so this file does not fit"):
        upload_keep(upload=ContentFile(b"text\nWhy?\n"), name="a.csv", user=teacher)
    full = school_update(user=None, school=full, name=full.name, most_questions=1, most_megabytes=1)
    upload_keep(upload=ContentFile(b"text\nWhy?\n"), name="a.csv", user=teacher)


@pytest.mark.django_db(transaction=True)
def test_a_quota_is_checked_without_a_lock_and_asks_only_for_files_that_are_there(full, teacher, monkeypatch) -> None:
    """Pages store a file outside a transaction, and the files of most jobs were deleted long ago."""
    full = school_update(user=None, school=full, name=full.name, most_questions=1, most_megabytes=1)
    kept = upload_keep(upload=ContentFile(b"text\nWhy?\n"), name="a.csv", user=teacher)
    for name in (kept.stored, "imported-long-ago.upload"):
        Run.objects.create(kind="import", requested_by=teacher, parameters={"upload": name})
    asked = []
    storage = storages["uploads"]
    size = storage.size
    monkeypatch.setattr(storage, "size", lambda name: asked.append(name) or size(name))
    with pytest.raises(ValidationFailed, match=r"has 10\xa0bytes, so this file does not fit"):
        upload_fits(user=teacher, size=1024 * 1024 - 9)
    upload_fits(user=teacher, size=1024 * 1024 - 10)
    assert asked == [kept.stored] * 2


def test_a_school_s_page_says_what_of_its_quotas_is_used(as_admin, full) -> None:
    page = " ".join(as_admin.get(reverse("school_detail", args=[full.pk])).content.decode().split())
    assert "<dt>questions</dt> <dd>1 of 1</dd>" in page
    assert "of 0 MB" in page


# --- the command ---------------------------------------------------------------------------------


def test_the_command_does_what_the_pages_do(capsys, teacher) -> None:
    call_command("school", "create", "Hill School")
    call_command("school", "create", "Vale School")
    call_command("school", "rename", "hill-school", "High School")
    call_command("school", "add", "High School", "teacher")
    call_command("school", "list")
    listed = capsys.readouterr().out.splitlines()
    assert listed == ["hill-school  1 person  High School", "vale-school  0 people  Vale School"]
    QuestionFactory(visibility="school", school=School.objects.get(slug="hill-school"))
    call_command("school", "remove", "hill-school", "teacher")
    call_command("school", "delete", "hill-school", "--to", "vale-school")
    assert capsys.readouterr().err.endswith("High School has been deleted; 1 thing was moved.\n")
    assert Question.objects.get().school == School.objects.get()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rename", "nowhere", "Hill"], "There is no school 'nowhere'"),
        (["add", "hill-school", "nobody"], "There is nobody with the log-in name 'nobody'"),
        (["create", "Hill School"], "There is a school with this name already"),
        (["delete", "hill-school", "--to", "nowhere"], "There is no school with the short name 'nowhere'"),
    ],
)
def test_the_command_refuses_with_one_sentence(hill, arguments, said) -> None:
    with pytest.raises(CommandError, match=said):
        call_command("school", *arguments)
