"""Deliveries: signed, tried again for a day, and the end of a hook that fails for three."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F

from questionbank.core.database import database_now
from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.hooks.services import (
    AT_ONCE_TO_A_HOOK,
    MOST_HOOKS,
    Answer,
    deliveries_claim,
    delivery_record,
    delivery_replay,
    hook_create,
    hook_delete,
    hook_events_announce,
    hook_secret,
    hook_set_active,
    hook_test,
    signed_headers,
)
from questionbank.models import Hook, HookDelivery, OutgoingMail
from questionbank.people.mail import mail_send_due
from questionbank.people.services import person_set_active
from tests.factories import QuestionFactory

DOCS = Path(__file__).resolve().parents[3] / "docs"
TAKEN = Answer(204, "", "")
FAILED = Answer(500, "Oh no", "The receiver answered 500.")


@pytest.fixture(autouse=True)
def _nothing_is_sent(monkeypatch) -> None:
    monkeypatch.setattr("questionbank.core.task_queue._wake", lambda job, queue: None)


@pytest.fixture
def delivery(hook) -> HookDelivery:
    """A message that waits."""
    QuestionFactory()
    hook_events_announce()
    return HookDelivery.objects.get()


def let_pass(**time: float) -> None:
    """Let everything be older."""
    past = timedelta(**time)
    HookDelivery.objects.update(began_at=F("began_at") - past, due_at=F("due_at") - past)
    Hook.objects.update(failing_since=F("failing_since") - past)


def attempt(answer: Answer) -> HookDelivery:
    """Send what is due, with this answer."""
    (message,) = deliveries_claim()
    delivery_record(delivery=message.delivery, answer=answer)
    return HookDelivery.objects.get(pk=message.delivery.pk)


def test_a_message_is_signed_as_standard_webhooks_specifies(delivery, hook) -> None:
    """Worked by hand from the specification: base64 of HMAC-SHA256 over ``id.timestamp.body``."""
    (message,) = deliveries_claim()
    headers, secret = message.headers, hook_secret(hook)
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
    signed = b".".join([headers["webhook-id"].encode(), headers["webhook-timestamp"].encode(), message.body])
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert headers["webhook-signature"] == f"v1,{expected}"
    assert headers["webhook-id"] == f"msg_{delivery.message_id.hex}"
    assert secret not in str(list(Hook.objects.values())) + str(list(HookDelivery.objects.values()))


def test_the_example_in_the_documentation_verifies_a_message(delivery, hook) -> None:
    _before, _, section = (DOCS / "api.md").read_text(encoding="utf-8").partition("## Web hooks")
    example = re.search(r"```python\n(.*?)```", section, re.DOTALL)[1]
    names: dict[str, Any] = {}
    exec(example, names)
    (message,) = deliveries_claim()
    secret, is_from_kindred = hook_secret(hook), names["is_from_kindred"]
    assert is_from_kindred(message.headers, message.body, secret)
    assert not is_from_kindred(message.headers, message.body + b" ", secret)
    assert not is_from_kindred(message.headers, message.body, hook_secret(Hook()))
    old = signed_headers(delivery, at=database_now() - timedelta(minutes=6))
    assert not is_from_kindred(old, message.body, secret)


def test_a_message_that_is_taken_is_sent_once(delivery) -> None:
    stored = attempt(TAKEN)
    assert (stored.state, stored.due_at, len(stored.attempts)) == ("delivered", None, 1)
    let_pass(hours=1)
    assert deliveries_claim() == []


def test_a_claimed_message_is_left_to_its_worker_for_a_while(delivery) -> None:
    assert len(deliveries_claim()) == 1
    assert deliveries_claim() == []
    let_pass(minutes=3)  # the worker died
    assert len(deliveries_claim()) == 1


def test_attempts_are_made_for_a_day_at_growing_distances(delivery, hook) -> None:
    waits: list[float] = []
    while (stored := attempt(FAILED)).due_at is not None:
        waits.append((stored.due_at - database_now()).total_seconds())
        let_pass(seconds=waits[-1] + 1)
    assert [round(seconds / 60) for seconds in waits[:8]] == [1, 2, 4, 8, 16, 32, 64, 120]
    assert sum(waits) < 86_400 < sum(waits) + 7_300
    assert stored.state == "failed"
    assert stored.attempts[0]["status"] == 500
    assert stored.attempts[0]["response"] == "Oh no"
    assert stored.attempts[0]["error"] == "The receiver answered 500."


def test_a_receiver_that_fails_gets_one_message_at_a_time(hook) -> None:
    for _number in range(AT_ONCE_TO_A_HOOK + 2):
        HookDelivery.objects.create(hook=hook, kind="question.changed", body="{}")
    messages = deliveries_claim()
    assert len(messages) == AT_ONCE_TO_A_HOOK
    for message in messages:
        delivery_record(delivery=message.delivery, answer=FAILED)
    assert len(deliveries_claim()) == 1


def test_a_hook_that_fails_for_three_days_is_disabled_with_a_notice(hook, teacher, mailoutbox) -> None:
    teacher.email = "teacher@school.example"
    teacher.save()
    for _day in range(4):
        HookDelivery.objects.create(hook=hook, kind="question.changed", body="{}")
        assert Hook.objects.get().is_active
        attempt(FAILED)
        let_pass(hours=25)
    hook.refresh_from_db()
    assert not hook.is_active
    assert hook.disabled_because == "Nothing could be delivered for three days."
    assert mail_send_due() == 1
    (mail,) = mailoutbox
    assert mail.to == ["teacher@school.example"]
    assert "https://example.org/a" in mail.body
    assert "https://kindred.test/api/hooks/" in mail.body
    assert not HookDelivery.objects.filter(due_at__isnull=False).exists() or deliveries_claim() == []
    enabled = hook_set_active(user=teacher, hook_id=hook.pk, is_active=True)
    assert (enabled.failing_since, enabled.disabled_because) == (None, "")


def test_a_delivery_ends_a_failure(hook) -> None:
    for answer in (FAILED, TAKEN):
        HookDelivery.objects.all().delete()
        HookDelivery.objects.create(hook=hook, kind="question.changed", body="{}")
        attempt(answer)
    assert Hook.objects.get().failing_since is None


def test_a_receiver_that_is_gone_gets_nothing_more(delivery, hook) -> None:
    attempt(Answer(410, "", "The receiver answered 410."))
    hook.refresh_from_db()
    assert not hook.is_active
    assert "410" in hook.disabled_because
    assert not OutgoingMail.objects.exists()  # nobody has an address here


@pytest.mark.parametrize("end", ["closed", "without_role", "disabled", "deleted"])
def test_what_waits_is_not_sent_after_the_end(delivery, hook, teacher, admin_person, end) -> None:
    if end == "closed":
        person_set_active(user=admin_person, person=teacher, is_active=False)
    elif end == "without_role":
        teacher.groups.clear()
    elif end == "disabled":
        hook_set_active(user=teacher, hook_id=hook.pk, is_active=False)
    else:
        hook_delete(user=teacher, hook_id=hook.pk)
    assert deliveries_claim() == []


def test_a_hook_that_is_deleted_during_an_attempt_is_no_error(delivery, hook, teacher) -> None:
    (message,) = deliveries_claim()
    hook_delete(user=teacher, hook_id=hook.pk)
    delivery_record(delivery=message.delivery, answer=TAKEN)
    assert not HookDelivery.objects.exists()


def test_a_test_message_is_tried_once_and_says_nothing_about_the_hook(hook, teacher) -> None:
    hook_set_active(user=teacher, hook_id=hook.pk, is_active=False)
    hook_test(user=teacher, hook_id=hook.pk)
    with pytest.raises(Conflict, match="still on its way"):
        hook_test(user=teacher, hook_id=hook.pk)
    stored = attempt(FAILED)
    assert (stored.kind, stored.state, len(stored.attempts)) == ("hook.test", "failed", 1)
    assert Hook.objects.get().failing_since is None


def test_a_message_is_replayed_with_its_id_and_body(delivery, hook, teacher) -> None:
    with pytest.raises(Conflict, match="still waits"):
        delivery_replay(user=teacher, hook_id=hook.pk, delivery_id=delivery.pk)
    (first,) = deliveries_claim()
    delivery_record(delivery=first.delivery, answer=FAILED)
    let_pass(days=2)
    assert deliveries_claim() == []  # given up
    delivery_replay(user=teacher, hook_id=hook.pk, delivery_id=delivery.pk)
    (again,) = deliveries_claim()
    assert (again.body, again.headers["webhook-id"]) == (first.body, first.headers["webhook-id"])
    delivery_record(delivery=again.delivery, answer=TAKEN)
    stored = HookDelivery.objects.get()
    assert [each["status"] for each in stored.attempts] == [500, 204]


def test_nobody_touches_somebody_elses_hook(delivery, hook, reviewer) -> None:
    for call in (hook_test, hook_delete):
        with pytest.raises(NotFound):
            call(user=reviewer, hook_id=hook.pk)
    with pytest.raises(NotFound):
        hook_set_active(user=reviewer, hook_id=hook.pk, is_active=False)
    with pytest.raises(NotFound):
        delivery_replay(user=reviewer, hook_id=hook.pk, delivery_id=delivery.pk)


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"address": "ftp://example.org"}, "address"), ({"events": []}, "events"), ({"events": ["all"]}, "events")],
)
def test_a_hook_that_makes_no_sense_is_refused(teacher, changed, field) -> None:
    arguments = {"address": "https://example.org/a", "events": ["model.promoted"], "site": "", **changed}
    with pytest.raises(ValidationFailed) as refused:
        hook_create(user=teacher, **arguments)
    assert set(refused.value.fields) == {field}


def test_hooks_of_a_person_have_different_addresses_and_are_not_too_many(hook, teacher) -> None:
    arguments = {"user": teacher, "events": ["model.promoted"], "site": ""}
    with pytest.raises(ValidationFailed, match="already have"):
        hook_create(address=hook.address, **arguments)
    for number in range(1, MOST_HOOKS):
        hook_create(address=f"https://example.org/{number}", **arguments)
    with pytest.raises(ValidationFailed, match="You have 20 web hooks"):
        hook_create(address="https://example.org/more", **arguments)
