"""The pages of web hooks, and the same over the API."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from questionbank.hooks.services import Answer, deliveries_claim, delivery_record, hook_create, hook_secret, hook_test
from questionbank.models import ApiRequest, Hook, HookDelivery
from tests.questionbank.api_client import Program


@pytest.fixture(autouse=True)
def _nothing_is_sent(monkeypatch) -> None:
    monkeypatch.setattr("questionbank.core.task_queue._wake", lambda job, queue: None)


def answered(hook: Hook, answer: Answer) -> HookDelivery:
    """Send a test message that is answered like this."""
    hook_test(user=hook.owner, hook_id=hook.pk)
    (message,) = deliveries_claim()
    delivery_record(delivery=message.delivery, answer=answer)
    return message.delivery


def test_the_page_shows_a_new_secret_once(as_teacher, teacher) -> None:
    address = reverse("hook_list")
    page = as_teacher.post(address, {"address": "https://example.org/a", "events": ["model.promoted"]})
    hook = Hook.objects.get()
    assert re.search(r"whsec_\S{44}", page.content.decode())[0].replace("&#x2B;", "+") == hook_secret(hook)
    assert (hook.owner, hook.site, hook.events) == (teacher, "http://testserver", ["model.promoted"])
    again = as_teacher.get(address).content.decode()
    assert "https://example.org/a" in again
    assert "whsec_" not in again


def test_the_page_says_what_is_wrong_with_an_address(as_teacher) -> None:
    page = as_teacher.post(reverse("hook_list"), {"address": "http://127.0.0.1/", "events": ["model.promoted"]})
    assert page.status_code == 422
    assert "Kindred sends nothing to private addresses." in page.content.decode()


def test_a_hooks_page_shows_the_response_and_sends_again(as_teacher, hook) -> None:
    delivery = answered(hook, Answer(500, "<b>Oh no</b>", "The receiver answered 500."))
    address = reverse("hook_detail", args=[hook.pk])
    page = as_teacher.get(address).content.decode()
    assert "The receiver answered 500." in page
    assert "&lt;b&gt;Oh no&lt;/b&gt;" in page
    replayed = as_teacher.post(reverse("hook_replay", args=[hook.pk, delivery.pk]), follow=True)
    assert "on its way again" in replayed.content.decode()
    assert HookDelivery.objects.get().state == "waiting"
    again = as_teacher.post(reverse("hook_replay", args=[hook.pk, delivery.pk]), follow=True)
    assert "still waits" in again.content.decode()


def test_a_hook_is_disabled_enabled_tested_and_deleted_on_its_page(as_teacher, hook) -> None:
    for active, is_active in (("0", False), ("1", True)):
        as_teacher.post(reverse("hook_active", args=[hook.pk]), {"active": active})
        assert Hook.objects.get().is_active is is_active
    assert "on its way" in as_teacher.post(reverse("hook_test", args=[hook.pk]), follow=True).content.decode()
    assert "Delete the web hook to" in as_teacher.get(reverse("hook_delete", args=[hook.pk])).content.decode()
    assert Hook.objects.exists()  # it asks first
    as_teacher.post(reverse("hook_delete", args=[hook.pk]))
    assert not Hook.objects.exists()


def test_a_page_says_why_a_hook_was_disabled(as_teacher, hook) -> None:
    Hook.objects.update(is_active=False, disabled_because="Nothing could be delivered for three days.")
    for address in (reverse("hook_list"), reverse("hook_detail", args=[hook.pk])):
        assert "Nothing could be delivered for three days." in as_teacher.get(address).content.decode()


def test_nobody_sees_somebody_elses_hook(as_reviewer, hook) -> None:
    assert as_reviewer.get(reverse("hook_detail", args=[hook.pk])).status_code == 404
    assert "example.org/a" not in as_reviewer.get(reverse("hook_list")).content.decode()
    as_reviewer.post(reverse("hook_delete", args=[hook.pk]))
    assert Hook.objects.exists()


def test_the_api_does_what_the_pages_do(teacher) -> None:
    program = Program(teacher)
    created = program("POST", "/hooks", {"address": "https://example.org/a", "events": ["question.changed"]})
    hook = Hook.objects.get()
    assert created.status_code == 201
    assert created.json()["secret"] == hook_secret(hook)
    path = f"/hooks/{hook.pk}"
    read = program("GET", path)
    assert read["ETag"] == created["ETag"]
    assert "secret" not in read.json()
    assert program("GET", "/hooks").json()["items"] == [read.json()]
    assert program("PATCH", path, {"is_active": False}, If_Match='"another"').status_code == 412
    assert program("PATCH", path, {"is_active": False}, If_Match=read["ETag"]).json()["is_active"] is False
    assert program("POST", f"{path}/test").status_code == 202
    assert program("POST", f"{path}/test").status_code == 409
    (message,) = deliveries_claim()
    delivery_record(delivery=message.delivery, answer=Answer(204))
    (shown,) = program("GET", f"{path}/deliveries").json()["items"]
    assert (shown["state"], shown["type"], shown["attempts"][0]["status"]) == ("delivered", "hook.test", 204)
    assert shown["message_id"] == message.headers["webhook-id"]
    assert shown["body"]["data"]["url"] == "http://testserver/api/v1/hooks/{id}"
    assert program("POST", f"{path}/deliveries/{shown['id']}/replay").json()["state"] == "waiting"
    assert program("DELETE", path).status_code == 204
    assert program("GET", path).status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"address": "https://example.org/" + "a" * 10_000, "events": ["question.changed"]}, "address"),
        ({"address": "ftp://example.org/", "events": ["question.changed"]}, "address"),
        ({"address": "https://u:p@example.org/", "events": ["question.changed"]}, "address"),
        ({"address": ["https://example.org/"], "events": ["question.changed"]}, "address"),
        ({"address": "https://example.org/", "events": []}, "events"),
        ({"address": "https://example.org/", "events": ["everything"]}, "events.0"),
        ({"address": "https://example.org/", "events": ["question.changed"], "secret": "mine"}, "secret"),
    ],
)
def test_the_api_names_what_is_wrong(teacher, body, field) -> None:
    refused = Program(teacher)("POST", "/hooks", body)
    assert refused.status_code == 422
    assert set(refused.json()["error"]["fields"]) == {field}


def test_a_key_that_only_reads_makes_no_hook(teacher, hook) -> None:
    program = Program(teacher, "read")
    assert program("GET", f"/hooks/{hook.pk}").status_code == 200
    body = {"address": "https://example.org/b", "events": ["question.changed"]}
    assert program("POST", "/hooks", body).json()["error"]["code"] == "scope_missing"
    assert hook_create(user=teacher, site="", **body)[0].pk


def test_a_secret_is_not_kept_for_a_request_that_comes_again(teacher) -> None:
    program, body = Program(teacher), {"address": "https://example.org/a", "events": ["question.changed"]}
    assert program("POST", "/hooks", body, Idempotency_Key="a").status_code == 201
    assert not ApiRequest.objects.exists()
    again = program("POST", "/hooks", body, Idempotency_Key="a")
    assert (again.status_code, list(again.json()["error"]["fields"])) == (422, ["address"])
    assert Hook.objects.count() == 1
