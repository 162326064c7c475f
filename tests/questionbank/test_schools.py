"""A person of one school is shown nothing of another: neither by a page or an operation, nor by a statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.urls import reverse

from questionbank.bank.bulk_selectors import bulk_change_description
from questionbank.bank.bulk_services import bulk_change_request, bulk_change_undo_request
from questionbank.bank.history_selectors import question_history
from questionbank.bank.question_services import question_create
from questionbank.core.errors import ValidationFailed
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_file
from questionbank.models import (
    EmbeddingSet,
    Question,
    QuestionEquation,
    QuestionListItem,
    QuestionUse,
    School,
    User,
    WorksheetItem,
)
from questionbank.people.permissions import viewing_as
from questionbank.people.school_selectors import visible_to_of
from tests.factories import QuestionFactory
from tests.questionbank.api_client import Program
from tests.questionbank.page_bank import LINEAR, text_of
from tests.questionbank.small_bank import store_vectors, write_question
from tests.questionbank.test_permissions import TABLE, things  # noqa: F401 - a fixture

MARKER = "zebrafinch"
READS = re.compile(
    r'(?:FROM|JOIN)\s+"?questionbank_(?:question(?:embedding|tag)?|facetcount)"?(?![\w"])', re.IGNORECASE
)
CONDITION = re.compile(r'audience"? (?:IN \(|= ANY\()')
WITHOUT_CONDITION = {
    'AS "is_large"': "whether the bank is large, which all viewers' models share",
    "SELECT coalesce(paraphrase_of_id, id) AS original": "numbers of a question's wordings, which are left out",
    "question_id = %s AND content_hash = %s": "the vector of a question that was read before",
    "id = ANY(%s::bigint[]) AND draws_numbers": "which of the questions found draw their numbers",
    '"vector" IS NOT NULL) LIMIT 1': "whether a map can be drawn",
    "t.question_id = ANY(%s::bigint[])": "the tags of questions that were read before",
    '"questionbank_questiontag"."question_id" = %s': "likewise",
    '"questionbank_questiontag"."question_id" IN (': "likewise",
    "LIKE %s ORDER BY 1 DESC LIMIT 200": "numbers of questions with a concept; those for the viewer are read then",
    "hashint8extended(id, 0)": "whether the counts have changed",
    "audience FROM questionbank_facetcount": "all counts, from which memory takes the viewer's",
    'FROM "questionbank_facetcount"': "the bank's languages, by which models are chosen and the status is computed",
    "e.content_hash <> q.content_hash": "how many vectors are missing, for the status",
    '"questionbank_questionequation"."question_id") WHERE "questionbank_question"."id" IN': (
        "questions of a worksheet, to tell those that one may not see from those that were deleted"
    ),
}
"""A part of each statement that reads questions whoever looks, and why it tells nobody of a question."""


@pytest.fixture
def other_school(things, bank, teacher, reviewer) -> list[Question]:  # noqa: F811
    """Questions like those of the bank, which the reviewer's school sees and the teacher's does not."""
    ours, theirs = (School.objects.create(name=name, slug=name.lower()) for name in ("Hillside", "Lakeside"))
    ours.people.add(teacher)
    theirs.people.add(reviewer)
    fields = {"visibility": "school", "school": theirs, "source": f"Set of a {MARKER}", "grade": "11"}
    hidden = [
        QuestionFactory(
            text=f"{LINEAR.format(a=a, b=3, c=11)} {said}",
            answer=MARKER,
            solution=MARKER,
            concepts=[bank.linear],
            paraphrase_of=original,
            **fields,
        )
        for a, said, original in ((2, MARKER, None), (2, f"Ask a {MARKER}.", bank.questions[1]), (9, MARKER, None))
    ]
    same = bank.questions[1]
    hidden.append(QuestionFactory(text=same.text, answer="4", created_by=reviewer, **fields))
    for embedding_set in EmbeddingSet.objects.all():
        store_vectors(embedding_set, hidden)
    for place, question in enumerate([hidden[0], bank.questions[0], hidden[1]], start=1):
        QuestionListItem.objects.create(question_list_id=things["list"], question=question, position=place)
        WorksheetItem.objects.create(worksheet_id=things["worksheet"], question=question, position=place)
    QuestionUse.objects.create(question=hidden[0], day="2026-02-03", worksheet_name=MARKER)
    QuestionEquation.objects.create(question=hidden[2], expression="(11-3)/9", numbers=[], graph_key="x")
    return hidden


@contextmanager
def statements_watched() -> Iterator[dict[str, str]]:
    """Collect the statements that read questions without the viewer's condition, by their beginning."""
    found: dict[str, str] = {}

    def watch(execute, sql, params, many, context):
        text = sql if isinstance(sql, str) else sql.as_string()
        known = any(part in text for part in WITHOUT_CONDITION)
        if READS.search(text) and not CONDITION.search(text) and not known:
            found.setdefault(" ".join(text[READS.search(text).start() :].split())[:400], "")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        yield found


def said(response: HttpResponse) -> str:
    parts = response.streaming_content if response.streaming else [response.content]
    return b"".join(parts).decode(errors="replace").lower()


def test_no_page_shows_or_reads_a_question_of_another_school(things, other_school, bank, as_teacher) -> None:  # noqa: F811
    addresses = {}
    for name, address in TABLE.items():
        if address.method == "get" and not name.startswith(("account_", "mfa_")):
            arguments = {key: things.get(value, value) for key, value in address.arguments.items()}
            addresses[name] = reverse(name, kwargs=arguments) + address.query
    for ending in ("?query=solve", "?query=Solve+the+equation", "?status=any&order=hardest", "?query=2x+%2B+3+%3D+11"):
        addresses[f"search {ending}"] = reverse("question_list") + ending
    for format in ("jsonl", "csv", "gift"):
        addresses[f"export {format}"] = reverse("selection_export", args=[format]) + "?all=1"
    own = bank.questions[0]
    addresses["whole"] = reverse("question_detail", args=[own.pk]) + "?whole=1"
    for kinship in ("purpose", "structure", "wording"):
        addresses[f"similar {kinship}"] = reverse("question_similar", args=[own.pk, kinship])
    check(as_teacher, addresses)


def test_no_operation_shows_or_reads_a_question_of_another_school(things, other_school, bank, as_teacher) -> None:  # noqa: F811
    own = bank.questions[0]
    paths = (
        "questions?status=any&page_size=100 search?query=equation search?query= exports?as=jsonl exports?as=csv"
        f" lists/{things['list']} worksheets/{things['worksheet']} worksheets/{things['worksheet']}/file?as=html"
        f" questions/{own.pk}/similar?lens=wording questions/{own.pk}/similar questions/{own.pk}/exemplars"
        f" questions/{own.pk}/paraphrases questions/{own.pk}/versions questions/{own.pk}/statistics concepts runs"
    )
    check(as_teacher, {path: f"/api/v1/{path}" for path in paths.split()})
    program = Program(User.objects.get(username="teacher"))
    with statements_watched() as found:
        for path in ("/similar", "/exemplars", "/predict"):
            body = {"texts": [{"text": own.text}]} | ({"lens": "wording"} if path == "/similar" else {})
            response = program("POST", path, body)
            assert (response.status_code, MARKER in said(response)) == (200, False)
    assert found == {}


def check(client, addresses: dict[str, str]) -> None:
    leaks = []
    with statements_watched() as found:
        for name, path in addresses.items():
            before = len(found)
            response = client.get(path)
            assert response.status_code < 500, path
            if MARKER in said(response):
                leaks.append(name)
            for statement in list(found)[before:]:
                found[statement] = name
    assert leaks == []
    assert found == {}


def test_a_question_of_another_school_answers_as_one_that_is_missing(other_school, as_teacher) -> None:
    for name, address in TABLE.items():
        if "question_id" not in address.arguments or "list_id" in address.arguments:
            continue
        answers = []
        for number in (other_school[0].pk, 10**12):
            arguments = {**address.arguments, "question_id": number}
            response = getattr(as_teacher, address.method)(
                reverse(name, kwargs=arguments), {"event": 1, **address.data}
            )
            answers.append((response.status_code, said(response).replace(str(number), "")))
        assert [status for status, _page in answers] in ([404, 404], [403, 403]), name
        assert MARKER not in answers[0][1], name


WRITTEN = {"text": "What is $2 + 2$?", "language": "en", "kind": "open", "answer": "4", "status": "ready"}


def test_without_schools_nothing_is_said_of_them(bank, as_teacher, as_admin) -> None:
    for client in (as_teacher, as_admin):
        for name, arguments in (("question_create", []), ("question_detail", [bank.questions[0].pk])):
            page = client.get(reverse(name, args=arguments)).content.decode()
            assert "Visible to" not in page
        selection = client.get(reverse("selection") + f"?id={bank.questions[0].pk}").content.decode()
        assert "Visible to" not in selection
        assert "Visible to" not in client.get(reverse("import_create")).content.decode()


@pytest.mark.parametrize(("schools", "usual"), [("", "all"), ("hillside", "hillside"), ("hillside north", "all")])
def test_what_somebody_writes_is_visible_to_their_only_school(db, teacher, schools, usual) -> None:
    for slug in ("hillside", "north", "lakeside"):
        school = School.objects.create(name=slug.title(), slug=slug)
        if slug in schools.split():
            school.people.add(teacher)
    teacher.refresh_from_db()
    question = write_question("How much is $1 + 1$?")
    assert visible_to_of(question) == "all"
    with viewing_as(teacher):
        question = question_create(user=teacher, **full(WRITTEN))
        assert visible_to_of(question) == usual
        private = question_create(user=teacher, **full(WRITTEN), visible_to="private")
        assert private.audience == -teacher.pk
        with pytest.raises(ValidationFailed, match="school that you belong to"):
            question_create(user=teacher, **full(WRITTEN), visible_to="lakeside")


def full(fields: dict[str, str]) -> Any:
    return {"options": [], "solution": "", "grade": "", "concepts": [], **fields}


def test_the_form_offers_the_schools_of_the_person(other_school, as_teacher, teacher) -> None:
    page = as_teacher.get(reverse("question_create")).content.decode()
    assert '<option value="hillside" selected>Hillside</option>' in page
    assert "Lakeside" not in page
    assert "Ready: visible as below" in page
    importing = as_teacher.get(reverse("import_create")).content.decode()
    assert '<option value="hillside" selected>Hillside</option>' in importing
    for chosen, status in (("lakeside", 422), ("private", 302)):
        data = WRITTEN | {"action": "save", "visible_to": chosen}
        assert as_teacher.post(reverse("question_create"), data).status_code == status
    question = Question.objects.latest("pk")
    assert question.shown_to == "only its author"
    page = as_teacher.get(reverse("question_detail", args=[question.pk])).content.decode()
    assert "Visible to only its author" in page


def test_moving_one_question_keeps_its_history(other_school, bank, as_teacher) -> None:
    own = bank.questions[0]
    edit = reverse("question_edit", args=[own.pk])
    data = {"text": own.text, "language": "en", "kind": "open", "answer": own.answer, "grade": own.grade}
    data |= {"status": "ready", "version": own.version, "action": "save", "visible_to": "hillside"}
    assert as_teacher.post(edit, data | {"concepts": bank.linear.pk}).status_code == 302
    own.refresh_from_db()
    assert own.shown_to == "Hillside"
    entry = question_history(question=own)[0]
    changes = {(change.field, change.before, change.after) for change in entry.changes}
    assert changes >= {("visible to", "Everybody", "One school"), ("school", "", "Hillside")}


def test_moving_many_questions_can_be_undone(other_school, bank, teacher, admin_person) -> None:
    teacher.refresh_from_db()
    numbers = [question.pk for question in (*bank.questions[:2], *other_school)]
    values = {"visible_to": "lakeside"}
    with pytest.raises(ValidationFailed), viewing_as(teacher):
        bulk_change_request(user=teacher, kind="visibility", values=values, question_ids=numbers, selection={})
    before = dict(Question.objects.values_list("pk", "audience"))
    change = bulk_change_request(
        user=admin_person, kind="visibility", values=values, question_ids=numbers, selection={}
    )
    lakeside = School.objects.get(slug="lakeside")
    assert (change.changed, Question.objects.filter(school=lakeside).count()) == (2, len(numbers))
    assert bulk_change_description(change.kind, change.values) == "Visible to: Lakeside"
    bulk_change_undo_request(user=admin_person, change=change)
    assert dict(Question.objects.values_list("pk", "audience")) == before


def test_questions_do_not_go_back_to_a_school_that_was_deleted(other_school, admin_person) -> None:
    numbers = [question.pk for question in other_school]
    change = bulk_change_request(
        user=admin_person, kind="visibility", values={"visible_to": "all"}, question_ids=numbers, selection={}
    )
    School.objects.get(slug="lakeside").delete()
    undone = bulk_change_undo_request(user=admin_person, change=change)
    assert undone.kept == numbers
    assert set(Question.objects.filter(pk__in=numbers).values_list("visibility", flat=True)) == {"all"}


def test_an_import_neither_finds_nor_updates_questions_of_another_school(other_school, bank, jsonl, teacher) -> None:
    Question.objects.filter(pk=other_school[0].pk).update(source="bench", source_id="7", created_by=teacher)
    theirs, text = Question.objects.get(pk=other_school[0].pk), other_school[2].text
    path = jsonl({"id": "7", "text": "Something new: $3 + 4$?"}, {"id": "8", "text": text, "answer": "other"})
    teacher.refresh_from_db()
    with viewing_as(teacher):
        report = import_file(path=path, options=ImportOptions(source="bench", update=True), user=teacher, embed=False)
    assert (report.created, report.duplicates, report.known.updated) == (2, 0, 0)
    made = Question.objects.filter(import_run__isnull=False)
    assert [question.shown_to for question in made] == ["Hillside", "Hillside"]
    theirs.refresh_from_db()
    assert MARKER in theirs.text


def test_the_api_reads_and_sets_who_sees_a_question(other_school, teacher) -> None:
    program = Program(teacher)
    made = program("POST", "/questions", {"text": "What is $5 + 5$?"}).json()
    assert (made["visibility"], made["school"]) == ("school", "hillside")
    path = f"/questions/{made['id']}"
    assert program("PATCH", path, {"visible_to": "lakeside"}).status_code == 422
    assert program("PATCH", path, {"text": "What is $5 + 6$?"}).json()["school"] == "hillside"
    moved = program("PUT", path, {"text": "What is $5 + 6$?", "visible_to": "all"}).json()
    assert (moved["visibility"], moved["school"]) == ("all", None)
    values = {"kind": "visibility", "questions": [made["id"]], "values": {"visible_to": "private"}}
    assert program("POST", "/changes", values).json()["description"] == "Visible to: only its author"
    assert program("GET", path).json()["visibility"] == "private"


def test_a_list_and_a_worksheet_say_that_they_hold_what_one_may_not_see(other_school, things, as_teacher) -> None:  # noqa: F811
    page = text_of(as_teacher.get(reverse("list_detail", args=[things["list"]])))
    assert "You may not see 2 questions of this list." in page
    page = text_of(as_teacher.get(reverse("worksheet_detail", args=[things["worksheet"]])))
    assert f"You may not see questions {other_school[0].pk} and {other_school[1].pk}." in page
