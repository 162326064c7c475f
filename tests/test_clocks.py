"""Clocks of machines that differ: what one process writes and another compares is the database's time."""

from __future__ import annotations

import ast
import json
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from questionbank.core import task_queue
from questionbank.jobs import run_services as runs
from questionbank.jobs.run_selectors import run_wait
from questionbank.models import OutgoingMail, Run, WorkerHeartbeat
from questionbank.people.mail import mail_request_reset, mail_send_due
from questionbank.registry.artifact_services import artifact_register
from tests.worker.encoder_bank import tiny_encoder
from worker.celery import Scheduler, application

BASE_DIR = Path(__file__).resolve().parents[1]

# Times that people read, that are days apart, or that the same machine wrote.
OWN_CLOCK = {
    "questionbank/operations/health.py": "when a page was made; the age of a back-up in days",
    "questionbank/registry/artifact_selectors.py": "models in this machine's cache were used within the hour",
    "questionbank/bank/map_selectors.py": "a large map is read anew every ten minutes",
    "questionbank/bank/attachment_services.py": "pictures are young for a day",
    "questionbank/operations/backups.py": "when a back-up was made",
    "questionbank/bank/bulk_services.py": "when questions were changed",
    "questionbank/jobs/resume_services.py": "checkpoints are kept for a month",
    "questionbank/protection/erasure_services.py": "when a person was deleted",
    "questionbank/imports/staging.py": "when questions were imported",
    "questionbank/search/services.py": "when recall was measured",
    "questionbank/review/pair_services.py": "when a pair was scored",
    "questionbank/bank/vector_services.py": "when a map was drawn",
    "questionbank/core/storage.py": "files of this machine",
    "questionbank/problem_writing/services.py": "when somebody decided",
    "questionbank/api/access.py": "the minute in which requests are counted",
    "questionbank/api/key_services.py": "keys end days later; last use is shown by the minute",
    "questionbank/people/services.py": "last use is shown by ten minutes",
    "questionbank/api/requests.py": "responses are kept for a day",
    "questionbank/management/commands/api_key.py": "keys end days later",
    "questionbank/registry/language_model_services.py": "the day in which tokens are counted",
    "worker/celery.py": "when this process's schedule is due",
    "questionbank/templatetags/pages.py": "how long a job has been running, as a page shows it",
}
CLOCKS = {("timezone", "now"), ("time", "time"), ("datetime", "now"), ("datetime", "utcnow")}


def reads_own_clock(path: Path) -> bool:
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (node.value.id, node.attr) in CLOCKS
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
    )


def test_a_module_that_reads_its_machines_clock_says_why():
    modules = [path for name in ("questionbank", "worker") for path in sorted((BASE_DIR / name).rglob("*.py"))]
    # A migration repeats the defaults of fields.
    named = [path for path in modules if path.parent.name != "migrations"]
    reading = {str(path.relative_to(BASE_DIR)) for path in named if reads_own_clock(path)}
    # The one that serves slow clients compares its own times only.
    assert reading - {"questionbank/local/buffering.py"} == set(OWN_CLOCK)


@pytest.fixture(params=[-10, 10], ids=["ten minutes back", "ten minutes on"])
def wrong_clock(request, monkeypatch):
    """Sets the clock of this machine wrong, and right again."""
    right = timezone.now

    def set_wrong(is_wrong: bool) -> None:
        monkeypatch.setattr(timezone, "now", lambda: right() + timedelta(minutes=request.param) * is_wrong)

    return set_wrong


@pytest.mark.django_db
def test_a_worker_whose_clock_is_wrong_keeps_its_run_and_is_alive(wrong_clock, monkeypatch):
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    monkeypatch.setattr(task_queue, "pending_message_ids", set)
    monkeypatch.setattr(runs, "_database_started", lambda: timezone.now() - timedelta(days=1))
    wrong_clock(True)
    run = runs.run_create(kind="embed")
    held = runs.run_start(run_id=run.pk, worker="one")
    runs.run_heartbeat(run=held)
    runs.worker_seen(name="one", queues="default")
    waiting = runs.run_create(kind="embed")
    wrong_clock(False)
    assert runs.runs_reconcile(watching_since=timezone.now() - timedelta(hours=1)) == {
        "requeued": 0, "failed": 0, "resent": 0,
    }  # fmt: skip
    assert run_wait(run=waiting).has_worker
    Run.objects.filter(pk=run.pk).update(heartbeat_at=timezone.now() - timedelta(minutes=5))
    WorkerHeartbeat.objects.update(seen_at=timezone.now() - timedelta(minutes=5))
    wrong_clock(True)  # that of the reconciler too
    assert runs.runs_reconcile(watching_since=None)["requeued"] == 1
    assert not run_wait(run=waiting).has_worker


@pytest.mark.django_db
def test_mail_of_a_machine_whose_clock_is_wrong_is_sent_at_once(wrong_clock, teacher, mailoutbox, monkeypatch):
    type(teacher).objects.update(email="teacher@school.example")
    monkeypatch.setattr(task_queue, "wake", lambda job, queue: None)
    wrong_clock(True)
    mail_request_reset(address="teacher@school.example", site="https://kindred.school.example")
    wrong_clock(False)
    assert mail_send_due() == 1
    assert OutgoingMail.objects.get().sent_at is not None


@pytest.mark.django_db
def test_a_model_of_a_worker_whose_clock_is_wrong_is_found_by_the_next_attempt(
    wrong_clock, own_files, tmp_path, monkeypatch
):
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    run = runs.run_create(kind="train", capability="encoder")
    wrong_clock(True)
    model = artifact_register(folder=tiny_encoder(tmp_path / "model"))
    assert model.created_at >= run.created_at
    assert model.created_at - run.created_at < timedelta(minutes=5)


def scheduler(folder: Path) -> Scheduler:
    return Scheduler(application, schedule_filename=str(folder / "schedule"))


def test_a_scheduled_message_never_runs_out_and_waits_once_whoever_sends_it(broker, tmp_path):
    for clock in (scheduler(tmp_path / name) for name in ("one", "two") if not (tmp_path / name).mkdir()):
        for entry in list(clock.schedule.values()):
            clock.apply_async(entry)
        clock.close()
    task_queue.send_once("bank.send_mail", queue="light")
    messages = [json.loads(raw)["headers"] for queue in task_queue.QUEUES for raw in broker.lrange(queue, 0, -1)]
    assert sorted(message["id"] for message in messages) == sorted(
        entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()
    )
    assert {message["expires"] for message in messages} == {None}


def test_a_clock_that_was_ahead_when_it_wrote_its_schedule_keeps_no_job_waiting(broker, tmp_path):
    ahead = scheduler(tmp_path)
    for entry in ahead.schedule.values():
        entry.last_run_at = application.now() + timedelta(minutes=10)
    ahead.close()
    behind = scheduler(tmp_path)
    assert max(entry.last_run_at for entry in behind.schedule.values()) <= application.now()
    behind.close()
