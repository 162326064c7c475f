"""What holds for every resource: errors, request ids, repeated writes, ETags, rates, cursors and strict bodies."""

from __future__ import annotations

import json
from datetime import timedelta

import psycopg
import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from structlog.contextvars import get_contextvars

from questionbank.api.access import SESSION_RATE
from questionbank.models import ApiRequest, Question
from questionbank.questions import api as questions_api
from tests.factories import QuestionFactory
from tests.questionbank.api_client import ROOT, Program

NEW = {"text": "How much is $2 + 3$?", "answer": "5"}


@pytest.fixture
def program(teacher) -> Program:
    return Program(teacher)


def error_of(response) -> dict:
    assert response["Content-Type"].startswith("application/json")
    (error,) = response.json().values()
    assert set(error) == {"code", "message", "fields", "request_id"}
    assert error["request_id"] == response["X-Request-ID"]
    assert error["message"]
    return error


# --- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status", "code"),
    [
        ("POST", "/questions", b"{", {}, 400, "bad_request"),
        ("POST", "/questions", b"\xff", {}, 400, "bad_request"),
        ("GET", "/questions", None, {"Authorization": "Bearer kdr_x"}, 401, "not_authenticated"),
        ("GET", "/questions/999999", None, {}, 404, "not_found"),
        ("GET", "/nothing", None, {}, 404, "not_found"),
        ("GET", "/questions/" + "9" * 5000, None, {}, 404, "not_found"),
        ("DELETE", "/questions", None, {}, 405, "method_not_allowed"),
        ("POST", "/questions", b" " * (5 * 1024 * 1024), {}, 413, "too_large"),
        ("POST", "/questions", b" " * (3 * 1024 * 1024), {}, 413, "too_large"),
        ("POST", "/questions", NEW, {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
        ("POST", "/questions", {"text": ""}, {}, 422, "invalid"),
        ("POST", "/questions", [NEW], {}, 422, "invalid"),
        ("POST", "/questions", None, {}, 422, "invalid"),
        ("GET", "/questions?limit=101", None, {}, 422, "invalid"),
        ("GET", "/questions?color=red", None, {}, 422, "invalid"),
        ("GET", "/questions?cursor=nonsense", None, {}, 422, "invalid"),
    ],
)
def test_every_error_has_the_same_shape(program, method, path, body, headers, status, code) -> None:
    response = program(method, path, body, **headers)
    assert response.status_code == status
    assert error_of(response)["code"] == code


def test_a_wrong_method_names_those_that_work(program) -> None:
    assert set(program("DELETE", "/questions")["Allow"].split(", ")) == {"GET", "HEAD", "POST"}


@pytest.mark.parametrize("path", ["/me", "/questions", "/questions/999999", "/exports?as=jsonl", "/nothing"])
def test_head_gives_what_get_gives_but_for_the_body(program, path) -> None:
    QuestionFactory()
    with_body, without = program("GET", path), program("HEAD", path)
    assert without.status_code == with_body.status_code
    assert without.getvalue() == b""
    names = {"Content-Type", "ETag", "Content-Disposition"}
    assert {name: without.get(name) for name in names} == {name: with_body.get(name) for name in names}


def test_an_unexpected_error_tells_nothing_but_its_request(program, monkeypatch) -> None:
    def broken(**_fields: object) -> None:
        raise RuntimeError("the password is 12345")

    monkeypatch.setattr(questions_api, "question_get", broken)
    response = program("GET", "/questions/1", X_Request_ID="my-request.1")
    assert response.status_code == 500
    assert error_of(response) == {
        "code": "server_error",
        "message": "Something went wrong on our side.",
        "fields": {},
        "request_id": "my-request.1",
    }


def test_without_the_database_the_client_is_told_when_to_come_back(program, monkeypatch) -> None:
    def gone(**_fields: object) -> None:
        raise OperationalError from psycopg.OperationalError("gone")

    monkeypatch.setattr(questions_api, "question_create", gone)
    response = program("POST", "/questions", NEW)
    assert response.status_code == 503
    assert error_of(response)["code"] == "unavailable"
    assert int(response["Retry-After"]) > 0


def test_a_request_id_that_could_forge_a_line_of_the_log_is_replaced(program) -> None:
    response = program("GET", "/me", X_Request_ID="a b")
    assert " " not in response["X-Request-ID"]


def test_the_log_names_a_request_as_its_response_does(program, monkeypatch) -> None:
    named: list[str] = []
    monkeypatch.setattr(
        questions_api, "question_get", lambda **_fields: named.append(get_contextvars()["request_id"]) or 1 / 0
    )
    for given in ({}, {"X_Request_ID": "my-request.1"}, {"X_Request_ID": "a b"}):
        assert program("GET", "/questions/1", **given)["X-Request-ID"] == named[-1]
    assert named[1] == "my-request.1"


# --- bodies -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ('{"text": "a", "text": "b"}', "text"),
        ('{"text": "a", "colour": 1}', "colour"),
        ('{"text": "a", "options": [{"label": "A", "text": "x", "right": true}]}', "options.0.right"),
        ('{"text": "a\\u0000"}', ""),
        ('{"text": "\\ud800"}', ""),
        ('{"text": "a", "difficulty_min": NaN}', ""),
        ('{"text": 7}', "text"),
        ('{"text": "a", "concepts": [0]}', "concepts.0"),
        ('{"text": "a", "concepts": [9223372036854775808]}', "concepts.0"),
        ('{"text": "a", "concepts": [7]}', "concepts"),
        ('{"text": "a", "content": {"nonsense": 1}}', "content"),
        ('{"text": "a", "content": ' + '{"a": ' * 70 + "1" + "}" * 70 + "}", ""),
    ],
)
def test_what_no_resource_takes_is_refused_by_name(program, body, field) -> None:
    response = program("POST", "/questions", body)
    assert response.status_code == 422
    assert list(error_of(response)["fields"]) == ([field] if field else [])
    assert not Question.objects.exists()


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/papers/text", {"text": "0", "may_be_sent": 0}, "may_be_sent"),
        ("/papers/text", {"text": "0", "may_be_sent": "false"}, "may_be_sent"),
        ("/questions", {"text": "a", "concepts": ["7"]}, "concepts.0"),
        ("/questions", {"text": "a", "concepts": [True]}, "concepts.0"),
        ("/similar", {"texts": [{"text": "a"}], "k": "5"}, "k"),
        ("/similar", {"texts": [{"text": "a"}], "k": 5.5}, "k"),
        ("/saved-searches", {"name": "a", "search": {"difficulty_min": "1"}}, "search.difficulty_min"),
        ("/hooks", {"address": "https://example.org/", "events": [1]}, "events.0"),
    ],
)
def test_a_value_of_another_type_is_refused(program, path, body, field) -> None:
    response = program("POST", path, body)
    assert response.status_code == 422
    assert list(error_of(response)["fields"]) == [field]


def test_an_integer_may_be_written_with_a_point(program) -> None:
    made = program("POST", "/worksheets", '{"name": "a", "versions": 2.0}')
    assert (made.status_code, made.json()["versions"]) == (201, 2)


@pytest.mark.parametrize("body", ["[" * 100_000, '{"text": ' + "9" * 10_000 + "}"])
def test_what_cannot_be_parsed_is_refused(program, body) -> None:
    assert program("POST", "/questions", body).status_code in (400, 422)


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("/imports", "IMPORT_UPLOAD_MAX_BYTES"),
        ("/papers", "DOCUMENT_UPLOAD_MAX_BYTES"),
        ("/responses", "REVIEW_UPLOAD_MAX_BYTES"),
        ("/questions/{}/attachments", "REVIEW_UPLOAD_MAX_BYTES"),
    ],
)
def test_a_file_may_be_as_large_as_its_page_takes(program, teacher, settings, own_uploads, path, limit) -> None:
    """Other bodies have at most 2 MB; a file that is far too large is dropped while it is received."""
    path = path.format(QuestionFactory(created_by=teacher).pk)
    content = b"\0" * (3 * 1024 * 1024)
    setattr(settings, limit, len(content))
    assert program.upload(path, content, "zeros.bin").status_code in (202, 422)
    for largest in (len(content) - 1, 1):
        setattr(settings, limit, largest)
        refused = program.upload(path, content, "zeros.bin")
        assert refused.status_code == 413
        assert error_of(refused)["code"] == "too_large"
    without = program("POST", path, {"file": "zeros.bin"})
    assert without.status_code == 415
    assert "multipart/form-data" in error_of(without)["message"]


# --- repeated writes --------------------------------------------------------------------------------


def test_a_write_that_is_sent_again_happens_once(program) -> None:
    first, again = (program("POST", "/questions", NEW, Idempotency_Key="abc") for _time in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert [again[name] for name in ("ETag", "Location")] == [first[name] for name in ("ETag", "Location")]
    assert again["Idempotent-Replayed"] == "true"
    assert Question.objects.count() == 1


def test_a_key_belongs_to_one_request_and_to_one_person(program, admin_person) -> None:
    program("POST", "/questions", NEW, Idempotency_Key="abc")
    other = program("POST", "/questions", NEW | {"answer": "6"}, Idempotency_Key="abc")
    assert other.status_code == 422
    assert list(error_of(other)["fields"]) == ["Idempotency-Key"]
    assert Program(admin_person)("POST", "/questions", NEW, Idempotency_Key="abc").status_code == 201
    assert Question.objects.count() == 2


def test_errors_are_not_kept_and_undo_what_was_changed(program, monkeypatch) -> None:
    assert program("POST", "/questions", {"text": ""}, Idempotency_Key="abc").status_code == 422
    with monkeypatch.context() as patch:
        patch.setattr(questions_api, "question_item", lambda _question: 1 / 0)
        assert program("POST", "/questions", NEW, Idempotency_Key="abc").status_code == 500
    assert not Question.objects.exists()
    assert program("POST", "/questions", NEW, Idempotency_Key="abc").status_code == 201


def test_a_key_is_free_again_after_a_day(program) -> None:
    program("POST", "/questions", NEW, Idempotency_Key="abc")
    ApiRequest.objects.update(created_at=timezone.now() - timedelta(hours=24, seconds=1))
    assert "Idempotent-Replayed" not in program("POST", "/questions", NEW, Idempotency_Key="abc")
    assert Question.objects.count() == 2


@pytest.mark.parametrize("key", ["a" * 256, "a b", "é", "a" * 10_000, ""])
def test_a_key_that_is_no_key_is_refused(program, key) -> None:
    assert program("POST", "/questions", NEW, Idempotency_Key=key).status_code == 422


@pytest.mark.django_db(transaction=True)
def test_the_second_request_while_the_first_runs_is_refused(program, teacher) -> None:
    with psycopg.connect(**_parameters()) as other:
        other.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"kindred/api-request/{teacher.pk}/abc"]
        )
        response = program("POST", "/questions", NEW, Idempotency_Key="abc")
    assert response.status_code == 409
    assert error_of(response)["code"] == "still_running"


def _parameters() -> dict:
    return {
        "host": connection.settings_dict["HOST"],
        "dbname": connection.settings_dict["NAME"],
        "user": connection.settings_dict["USER"],
    }


# --- ETags ------------------------------------------------------------------------------------------


def test_an_edit_of_another_version_is_refused(program, teacher) -> None:
    question = QuestionFactory(created_by=teacher)
    path = f"/questions/{question.pk}"
    etag = program("GET", path)["ETag"]
    changed = program("PATCH", path, {"answer": "7"}, If_Match=etag)
    assert changed.status_code == 200
    assert changed["ETag"] != etag
    late = program("PATCH", path, {"answer": "8"}, If_Match=etag)
    assert late.status_code == 412
    assert error_of(late)["code"] == "precondition_failed"
    assert program("PATCH", path, {"answer": "8"}, If_Match=f'"x", {changed["ETag"]}').status_code == 200
    assert program("PATCH", path, {"answer": "9"}, If_Match="*").status_code == 200
    assert program("GET", path).json()["answer"] == "9"


# --- rates ------------------------------------------------------------------------------------------


def test_a_key_has_a_rate_of_its_own(teacher, monkeypatch) -> None:
    monkeypatch.setattr("questionbank.api.access.time.time", lambda: 600.0)
    program, other = Program(teacher, rate_limit=3), Program(teacher, name="Other")
    calls = [program("GET", "/me") for _call in range(4)]
    assert [call.status_code for call in calls] == [200, 200, 200, 429]
    assert [call["RateLimit-Remaining"] for call in calls] == ["2", "1", "0", "0"]
    assert (calls[3]["RateLimit-Limit"], calls[3]["RateLimit-Reset"], calls[3]["Retry-After"]) == ("3", "60", "60")
    assert error_of(calls[3])["code"] == "too_many_requests"
    assert other("GET", "/me").status_code == 200
    monkeypatch.setattr("questionbank.api.access.time.time", lambda: 660.0)
    assert program("GET", "/me").status_code == 200


def test_refused_requests_count_as_well(teacher) -> None:
    program = Program(teacher)
    before = int(program("GET", "/me")["RateLimit-Remaining"])
    program("GET", "/questions?limit=0")
    assert int(program("GET", "/me")["RateLimit-Remaining"]) == before - 2


# --- browsers ---------------------------------------------------------------------------------------


def test_a_browser_uses_its_session_and_writes_with_a_csrf_token(teacher) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(teacher)
    response = browser.get(f"{ROOT}/me")
    assert response.json()["key"] is None
    assert response["RateLimit-Limit"] == str(SESSION_RATE)
    body = {"data": json.dumps(NEW), "content_type": "application/json"}
    refused = browser.post(f"{ROOT}/questions", **body)
    assert refused.status_code == 403
    assert error_of(refused)["code"] == "csrf_failed"
    browser.get("/api/keys/")
    token = browser.cookies["csrftoken"].value
    assert browser.post(f"{ROOT}/questions", **body, headers={"X-CSRFToken": token}).status_code == 201


# --- lists ------------------------------------------------------------------------------------------


def test_pages_neither_repeat_nor_skip_while_questions_are_added(program) -> None:
    before = [QuestionFactory().pk for _question in range(7)]
    seen, cursor = [], ""
    while True:
        page = program("GET", f"/questions?limit=3&cursor={cursor}").json()
        seen += [question["id"] for question in page["items"]]
        QuestionFactory()
        if page["next"] is None:
            break
        cursor = page["next"]
    assert seen == before[::-1]


def test_a_cursor_of_another_list_is_refused(program) -> None:
    for _question in range(2):
        QuestionFactory(grade="7")
    cursor = program("GET", "/questions?limit=1&grade=7").json()["next"]
    assert program("GET", f"/questions?grade=7&cursor={cursor}").status_code == 200
    assert program("GET", f"/questions?grade=8&cursor={cursor}").status_code == 422
    assert program("GET", f"/questions?grade=7&cursor={cursor[:-1]}").status_code == 422


def test_times_are_utc(program, settings) -> None:
    settings.TIME_ZONE = "Europe/Berlin"
    QuestionFactory()
    question = program("GET", "/questions").json()["items"][0]
    assert question["created_at"].endswith("Z")
