"""Who logged in, exported and looked at what, with filters and as CSV."""

from __future__ import annotations

import csv
from datetime import timedelta

import pghistory
import pytest
from django.db import connection
from django.test import Client
from django.urls import get_resolver, reverse
from django.utils import timezone

from questionbank.bank import change_selectors as changes
from questionbank.bank.change_selectors import Wanted, all_changes, change_page
from questionbank.models import AuditEvent, ResponseSet
from questionbank.people.middleware import AUDITED
from tests.factories import QuestionFactory, UserFactory
from tests.questionbank.api_client import Assistant, Program

pytestmark = pytest.mark.django_db


def told(kind: str, **wanted: object) -> list[tuple[str, str]]:
    return [(entry.who, entry.what) for entry in change_page(kind=kind, wanted=Wanted(**wanted)).entries]


def test_every_audited_address_exists() -> None:
    def names(patterns):
        for pattern in patterns:
            yield from names(pattern.url_patterns) if hasattr(pattern, "url_patterns") else [pattern.name]

    assert AUDITED.keys() <= set(names(get_resolver().url_patterns))


def test_log_ins_and_wrong_passwords_are_recorded_with_their_address(client, teacher, no_attempts_yet) -> None:
    here = reverse("account_login")
    for name, password in (
        ("teacher", "wrong"),
        ("not a name but a password", "x"),
        ("teacher", "correct horse battery"),
    ):
        client.post(here, {"login": name, "password": password})
    assert told("sign_in") == [
        ("teacher", "logged in from 127.0.0.1"),
        ("", "somebody typed a log-in name that nobody has from 127.0.0.1"),
        ("teacher", "typed a wrong password from 127.0.0.1"),
    ]
    assert not AuditEvent.objects.filter(what__contains="not a name").exists()


def test_exports_and_looks_at_people_are_recorded_and_refusals_are_not(as_admin, client, teacher, bank) -> None:
    responses = ResponseSet.objects.create(owner=teacher, title="Test", layout="Table")
    as_admin.get(reverse("person_detail", args=[teacher.pk]))
    as_admin.get(reverse("response_set_csv", args=[responses.pk]))
    as_admin.get(reverse("response_set_csv", args=[0]))
    as_admin.get(reverse("question_detail", args=[bank.questions[0].pk]))
    other = Client()
    other.force_login(teacher)
    other.get(reverse("person_detail", args=[teacher.pk]))
    assert told("view") == [("admin", "opened a person’s page from 127.0.0.1")]
    assert told("export") == [("admin", "exported the figures of a class from 127.0.0.1")]
    assert change_page(kind="view").entries[0].address == reverse("person_detail", args=[teacher.pk])


def test_exports_of_programs_and_assistants_are_recorded_with_the_key(teacher, bank) -> None:
    number = bank.questions[0].pk
    program, assistant = Program(teacher, name="Script"), Assistant(teacher, name="Helper")
    for path in (f"/questions/{number}", f"/questions/{number}?as=gift", f"/questions/{number}?as=odt"):
        program("GET", path)
    assistant.use("get_question", question=number)
    assistant.use("export_questions", questions=[number], format="gift")
    assistant.refusal("export_questions", questions=[number], format="odt")
    assert list(AuditEvent.objects.filter(kind="export").order_by("pk").values_list("what", "through", "path")) == [
        ("exported a question over the API", "Script", f"/api/v1/questions/{number}"),
        ("exported questions over the API", "Helper", "/mcp"),
    ]


def test_changes_of_questions_and_filters_by_person_and_time(teacher, admin_person) -> None:
    for person in (teacher, admin_person):
        question = QuestionFactory()
        with pghistory.context(user=person.pk):
            type(question).objects.filter(pk=question.pk).update(grade="7")
        AuditEvent.objects.create(kind="export", what="exported questions", person=person)
    assert told("questions", person=teacher.pk) == [("teacher", f"changed question {question.pk - 1}")]
    assert told("export", person=admin_person.pk) == [("admin", "exported questions")]
    soon, ago = timezone.now() + timedelta(hours=1), timezone.now() - timedelta(hours=1)
    assert told("export", since=soon) == told("export", before=ago) == []
    assert len(told("", since=ago, before=soon, person=teacher.pk)) == 2


def test_the_page_filters_and_ignores_nonsense(as_admin, teacher) -> None:
    AuditEvent.objects.create(kind="export", what="exported questions", person=teacher)
    here = reverse("change_list")
    today = timezone.localdate().isoformat()
    for query, is_shown in (
        (f"?kind=export&person={teacher.pk}&since={today}&until={today}", True),
        ("?kind=view", False),
        ("?kind=export&until=2001-01-01", False),
        ("?person=0&since=x&until=9999-12-31&kind=nonsense", True),
        ("?since=0001-01-01", True),
    ):
        response = as_admin.get(here + query)
        assert response.status_code == 200
        assert ("exported questions" in response.content.decode()) == is_shown, query


def test_the_csv_holds_all_pages_and_no_formula(as_admin, monkeypatch) -> None:
    monkeypatch.setattr(changes, "PAGE_SIZE", 3)
    formula = UserFactory(username="x", first_name="=1+1")
    for number in range(10):
        moment = timezone.now() - timedelta(minutes=number)
        AuditEvent.objects.create(kind="export", what=f"exported {number}", person=formula, created_at=moment)
    response = as_admin.get(reverse("change_export") + "?kind=export")
    rows = list(csv.reader(b"".join(response.streaming_content).decode("utf-8-sig").splitlines()))
    assert rows[0] == ["when", "who", "kind", "what", "rows"]
    assert rows[1][1:4] == ["admin", "Exports", "exported the changes from 127.0.0.1"]
    assert [row[3] for row in rows[2:]] == [f"exported {number}" for number in range(10)]
    assert {row[1] for row in rows[2:]} == {"'=1+1"}


def test_a_page_reads_an_index_whatever_its_depth(teacher) -> None:
    """Keyset pages: the plan of the deepest page sorts nothing and reads as many rows as it shows."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO questionbank_auditevent (kind, what, path, through, created_at)"
            " SELECT 'view', 'looked', '', '', now() - interval '1 second' * n FROM generate_series(1, 20000) n"
        )
        cursor.execute("ANALYZE questionbank_auditevent")
        cursor.execute(
            "EXPLAIN (ANALYZE, FORMAT TEXT) SELECT * FROM questionbank_auditevent WHERE kind = 'view'"
            " AND created_at < now() - interval '19000 seconds' ORDER BY created_at DESC, id DESC LIMIT 300"
        )
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Scan" in plan
    assert "Sort" not in plan
    moment = AuditEvent.objects.order_by("created_at")[200].created_at
    assert len(list(all_changes(kind="view", wanted=Wanted(before=moment)))) == 200
