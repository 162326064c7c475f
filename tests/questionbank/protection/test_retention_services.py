"""How long data is kept: defaults, settings, and the job that deletes what is too old."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pghistory.models
import pytest
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.urls import reverse
from django.utils import timezone

from questionbank import models
from questionbank.bank.change_selectors import change_page
from questionbank.core.errors import NotAllowed
from questionbank.models import AuditEvent, Retention, Run
from questionbank.protection import retention_services as kinds
from questionbank.protection.retention_services import retention_apply, retention_days, retention_old, retention_set
from tests.factories import QuestionFactory
from worker.tasks import delete_old_data

pytestmark = pytest.mark.django_db


@pytest.fixture
def var(settings, tmp_path) -> Path:
    settings.VAR_DIR = tmp_path / "var"
    (settings.VAR_DIR / "logs").mkdir(parents=True)
    return settings.VAR_DIR


@pytest.fixture
def aged(var, own_uploads, teacher) -> None:
    """Something of every kind, a hundred days old."""
    then = timezone.now() - timedelta(days=100)
    name = storages["uploads"].save("old.jsonl", ContentFile(b"{}"))
    log = var / "logs" / "web.log.1"
    log.write_text("{}")
    (var / "logs" / "web.log").write_text("{}")
    for path in (storages["uploads"].path(name), log, var / "logs" / "web.log"):
        os.utime(path, (then.timestamp(), then.timestamp()))
    models.DocumentDraft.objects.create(owner=teacher, name="Test")
    models.DocumentDraft.objects.update(updated_at=then)
    asked = {"asked_by": teacher.pk, "text": "How much is 1 + 1?"}
    run = Run.objects.create(kind="ask", state="succeeded", finished_at=then, parameters=asked, result={"value": "2"})
    models.RunLog.objects.create(run=run, text="Asked")
    models.LongQuery.objects.create(key="k", text="long")
    models.LongQuery.objects.update(used_at=then)
    models.OutgoingMail.objects.create(kind="test")
    models.OutgoingMail.objects.update(created_at=then)
    hook = models.Hook.objects.create(owner=teacher, address="https://example.org", site="https://a.example")
    models.HookDelivery.objects.create(hook=hook, kind="hook.test", body="{}", due_at=None, began_at=then)
    Session.objects.create(session_key="k" * 32, session_data="", expire_date=then)
    UserSession.objects.create(user=teacher, session_key="k" * 32, ip="192.0.2.7", user_agent="", last_seen_at=then)
    models.ResponseSet.objects.create(title="Test", layout="Table", day=then.date(), owner=teacher)
    with pghistory.context(user=teacher.pk):
        question = QuestionFactory()
        models.Question.objects.filter(pk=question.pk).update(grade="7")
    question.events.update(pgh_created_at=then)
    AuditEvent.objects.create(kind="view", what="looked", created_at=then)


def test_the_defaults_delete_what_nobody_needs(aged, settings) -> None:
    assert {word: days for word, days in retention_days().items() if days is not None} == {
        "uploads": 7, "papers": 7, "searches": 365, "mail": 90, "deliveries": 30, "audit": 365, "devices": 365,
        "sessions": 1,
    }  # fmt: skip
    settings.RESPONSES_KEPT_YEARS = 2
    assert retention_days()["responses"] in (730, 731)
    settings.RESPONSES_KEPT_YEARS = 0
    deleted = {word: number for word, number in delete_old_data().items() if number}
    assert deleted == {"uploads": 1, "papers": 1, "mail": 1, "deliveries": 1, "sessions": 1}
    assert not Session.objects.exists()
    assert delete_old_data()["mail"] == 0


def test_every_kind_is_deleted_once_it_is_older_than_was_set(aged, admin_person, var) -> None:
    words = set(retention_days())
    retention_set(user=admin_person, days=dict.fromkeys(words, 101))
    assert retention_old(retention_days()) == dict.fromkeys(words, 0)
    days = dict.fromkeys(words, 99) | {"uploads": 7}
    assert set(retention_old(days).values()) == {1}
    retention_set(user=admin_person, days=days)
    assert retention_apply() == dict.fromkeys(words, 1) | {"pictures": 0}
    assert set(retention_old(days).values()) == {0}
    run = Run.objects.get(kind="ask")
    assert set(run.parameters) == {"asked_by"}
    assert run.result == {}
    assert [path.name for path in (var / "logs").iterdir()] == ["web.log"]
    assert models.Question.objects.exists()
    told = [entry.what for entry in change_page(kind="retention").entries]
    assert "Deliveries of web hooks: 1 deleted by age" in told
    assert len(told) == len(words)


def test_a_session_that_still_works_stays_listed(aged) -> None:
    Session.objects.update(expire_date=timezone.now() + timedelta(days=1))
    assert retention_old({"devices": 1}) == {"devices": 0}


def test_a_file_stays_until_its_job_has_read_it(aged, teacher) -> None:
    run = Run.objects.create(kind="import", requested_by=teacher, parameters={"upload": "old.jsonl"})
    assert retention_apply()["uploads"] == 0
    assert storages["uploads"].exists("old.jsonl")
    Run.objects.filter(pk=run.pk).update(state="succeeded")
    assert retention_apply()["uploads"] == 1


def test_responses_are_old_by_the_days_of_the_school(teacher) -> None:
    models.ResponseSet.objects.create(title="Test", layout="Table", day=date(2026, 3, 10), owner=teacher)
    [kind] = [each for each in kinds.KINDS if each.word == "responses"]
    moment = datetime(2026, 3, 11, 1, tzinfo=UTC)  # the afternoon of the 10th in Honolulu
    with timezone.override("Pacific/Honolulu"):
        assert kind.old(moment) == kind.delete(moment) == 0
    assert kind.old(moment + timedelta(days=1)) == 1


def test_one_kind_that_fails_does_not_keep_the_others(aged, monkeypatch) -> None:
    def fail(_names: list[str]) -> None:
        raise OSError

    monkeypatch.setattr(kinds, "uploads_delete", fail)
    deleted = retention_apply()
    assert deleted["mail"] == 1
    told = [entry.what for entry in change_page(kind="retention").entries]
    assert "Uploaded files: could not be deleted: see the worker's log" in told


def test_only_admins_set_a_time_and_the_history_says_which(teacher, admin_person) -> None:
    with pytest.raises(NotAllowed):
        retention_set(user=teacher, days={"mail": 1})
    with pghistory.context(user=admin_person.pk):
        retention_set(user=admin_person, days={"mail": 30})
    with pghistory.context(user=admin_person.pk):
        retention_set(user=admin_person, days={"mail": None})
    told = [(entry.who, entry.what) for entry in change_page(kind="settings").entries]
    assert told[:2] == [("admin", "set “mail” to be kept for ever"), ("admin", "set “mail” to be kept for 30 days")]


def test_the_page_tries_times_and_saves_them(aged, as_admin, var) -> None:
    here = reverse("data_protection")
    content = as_admin.get(here).content.decode()
    for kind in kinds.KINDS:
        assert kind.where in content
    sent = {word: days or "" for word, days in retention_days().items()} | {"history": 99}
    content = as_admin.post(here, sent | {"show": "1"}).content.decode()
    assert "Nothing is saved yet" in content
    assert not Retention.objects.exists()
    assert as_admin.post(here, sent).status_code == 302
    assert retention_days()["history"] == 99
    for wrong in ({"mail": "0"}, {"uploads": "8"}, {"uploads": ""}, {"mail": "x"}):
        assert as_admin.post(here, sent | wrong).status_code == 422
