"""Health: what each check says, and that nothing hangs on a server that does not answer."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import socket
from collections import namedtuple
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from questionbank.bank import vector_selectors as embeddings_selector
from questionbank.core.migrations import release
from questionbank.core.storage import BACKUP_RECORD
from questionbank.jobs.run_services import STALLED_AFTER
from questionbank.models import EmbeddingSet, Question, Run, WorkerHeartbeat
from questionbank.operations import health
from questionbank.operations.health import State
from worker.tasks import count_missing_vectors

pytestmark = pytest.mark.django_db

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def silent_server():
    """Address of a server that takes connections and never says a word."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(8)
        yield server.getsockname()


@pytest.fixture
def var(settings, tmp_path):
    """A VAR_DIR of this test alone."""
    settings.VAR_DIR = tmp_path
    return tmp_path


def item(name: str) -> health.HealthItem:
    return next(entry for entry in health.health_report().items if entry.name == name)


def seen(name: str, queues: str, seconds_ago: int) -> None:
    WorkerHeartbeat.objects.create(name=name, queues=queues, seen_at=timezone.now() - timedelta(seconds=seconds_ago))


def test_the_public_page_says_one_word_to_anybody(client):
    response = client.get("/health/")
    assert response.status_code == 200
    assert json.loads(response.content) == {"status": "ok"}
    assert "no-store" in response["Cache-Control"]
    assert not response.cookies
    assert client.post("/health/").status_code == 405


@pytest.mark.parametrize("answers", [False, True], ids=["refuses", "is silent"])
def test_a_redis_that_does_not_answer_is_given_up(client, monkeypatch, silent_server, answers, no_hang):
    host, port = silent_server if answers else ("127.0.0.1", 1)
    monkeypatch.setattr(health, "cache_url", lambda: f"redis://{host}:{port}/0")
    response = client.get("/health/")
    assert response.status_code == 503
    assert json.loads(response.content) == {"status": "failing"}
    assert item("redis").state == State.FAILING
    assert item("queues").sentence == "Unknown: Redis does not answer."


def test_a_database_that_does_not_answer_is_given_up(client, monkeypatch, silent_server, no_hang):
    host, port = silent_server
    parameters = {**connection.get_connection_params(), "host": host, "port": port}
    monkeypatch.setattr(connection, "get_connection_params", lambda: parameters)
    assert client.get("/health/").status_code == 503
    assert item("database").sentence == "The database does not answer."


def test_the_report_needs_no_database(monkeypatch):
    def unreachable(*args, **options):
        raise OperationalError

    monkeypatch.setattr(connection, "cursor", unreachable)
    report = health.health_report()
    assert report.state == State.FAILING
    assert item("runs").sentence == "Unknown: the database does not answer."


def test_database_and_redis_show_their_versions():
    database = item("database")
    assert database.state == State.OK
    assert database.figures["PostgreSQL"].startswith("18.")
    assert database.figures["pgvector"] >= "0.8.4"
    assert item("redis").state == State.OK


def test_a_migration_that_is_missing_is_failing():
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'sessions'")
    database = item("database")
    assert database.state == State.FAILING
    assert "1 migration has not been applied" in database.sentence


def test_a_bank_of_a_later_release_is_failing():
    MigrationRecorder(connection).record_applied("questionbank", "0999_from_the_future")
    database = item("database")
    assert database.state == State.FAILING
    assert f"this is {release()}: install" in database.sentence


def test_workers_and_runs_are_given_up_after_the_same_time():
    assert health.WORKER_SILENT_AFTER == STALLED_AFTER


def test_workers_count_for_45_seconds_and_by_queue():
    assert item("workers").state == State.FAILING
    seen("default@one", "default", 30)
    workers = item("workers")
    assert workers.state == State.WARNING
    assert workers.sentence == "No worker is running for: light, train. “manage.py serve” starts them."
    seen("train@one", "train", 50)
    assert item("workers").figures == {"default": "default@one", "light": "none", "train": "none"}
    seen("all@two", "default,light,train", 1)
    workers = item("workers")
    assert workers.state == State.OK
    assert set(workers.figures["default"].split(", ")) == {"default@one", "all@two"}


def test_jobs_that_failed_today_are_counted_and_older_ones_not():
    now = timezone.now()
    Run.objects.create(kind="embed", state="failed", finished_at=now - timedelta(hours=25))
    Run.objects.create(kind="embed", state="succeeded", finished_at=now)
    Run.objects.create(kind="train")
    runs = item("runs")
    assert runs.state == State.OK
    assert runs.figures["Waiting"] == "1"
    Run.objects.create(kind="import", state="failed", finished_at=now, result={Run.REFUSAL: True})
    assert item("runs").state == State.OK  # a refused file is no fault of the installation
    Run.objects.create(kind="embed", state="failed", finished_at=now - timedelta(hours=23))
    runs = item("runs")
    assert runs.state == State.WARNING
    assert runs.sentence == "1 job failed in the last 24 hours."


def test_missing_vectors_of_a_large_bank_are_counted_now_and_then_and_the_page_says_when(monkeypatch):
    cache.clear()
    monkeypatch.setattr(embeddings_selector, "COUNTED_LIVE", 0)
    EmbeddingSet.objects.create(lens="wording", encoder_name="n-grams", dimension=8, is_current=True)
    for number in range(2):
        Question.objects.create(text=f"{number} + 1", content_hash=bytes([number]), language="en")
        assert re.fullmatch(r"1 · counted \d.*UTC", item("vectors").figures["Wording"])
    assert count_missing_vectors() == {"wording": 2}
    assert item("vectors").figures["Wording"].startswith("2 · counted")


def test_missing_vectors_are_a_warning_only_when_nobody_computes_them():
    assert "No encoder is installed" in item("vectors").sentence
    EmbeddingSet.objects.create(lens="wording", encoder_name="n-grams", dimension=8, is_current=True)
    assert item("vectors").state == State.OK
    Question.objects.create(text="1 + 1", content_hash=b"1")
    vectors = item("vectors")
    assert vectors.state == State.WARNING
    assert vectors.figures == {"Wording": "1"}
    Run.objects.create(kind="embed")
    assert item("vectors").state == State.OK


def test_a_low_recall_is_a_warning():
    wording = EmbeddingSet.objects.create(lens="wording", encoder_name="n-grams", dimension=8, is_current=True)
    recall = item("recall")
    assert recall.figures == {"Wording": "not measured yet"}
    assert recall.sentence.startswith("Not measured yet")
    wording.recall = {"recall": 0.995, "k": 10, "queries": 100, "measured_at": timezone.now().isoformat()}
    wording.save()
    assert item("recall").state == State.OK
    wording.recall["recall"] = 0.9
    wording.save()
    recall = item("recall")
    assert recall.state == State.WARNING
    assert "Wording" in recall.sentence
    assert recall.figures["Wording"].startswith("0.900 · ")


@pytest.mark.parametrize(
    ("free", "state"), [(400_000_000, State.FAILING), (1_900_000_000, State.WARNING), (2_100_000_000, State.OK)]
)
def test_a_full_disk_is_noticed(var, monkeypatch, free, state):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10_000_000_000, 1, free))
    disk = item("disk")
    assert disk.state == state
    assert all("of 9.3" in figure for figure in disk.figures.values())


@pytest.fixture
def mounts(var, monkeypatch):
    """Bytes that are free, and all bytes, of folders that are mounts of their own; everything else has much room."""
    sizes: dict[Path, tuple[int, int]] = {}
    stat = Path.stat

    def mount_of(path: Path) -> Path | None:
        return next((folder for folder in (path, *path.parents) if folder in sizes), None)

    def stat_of(path, **options):
        real, mount = stat(path, **options), mount_of(path)
        return real if mount is None else os.stat_result((*real[:2], 10**6 + list(sizes).index(mount), *real[3:10]))

    monkeypatch.setattr(Path, "stat", stat_of)
    monkeypatch.setattr(health, "gettempdir", lambda: str(var / "tmp"))

    def usage_of(path):
        free, total = sizes.get(mount_of(Path(path)), (10**10, 10**11))
        return Usage(total, total - free, free)

    monkeypatch.setattr(shutil, "disk_usage", usage_of)

    def mount(name: str, free: int, total: int) -> None:
        (var / name).mkdir()
        sizes[var / name] = free, total

    return mount


def test_every_mount_is_looked_at_once_and_a_full_one_is_named(var, mounts):
    (var / "artifacts").mkdir()  # on the disk of VAR_DIR
    mounts("tmp", 900_000_000, 1_000_000_000)
    mounts("logs", 5 * 10**9, 10**10)
    disk = item("disk")
    assert (disk.state, disk.sentence) == (State.OK, "There is room on every disk.")
    assert {"Temporary files", "Logs"} <= disk.figures.keys()
    assert not any("Artifacts" in names for names in disk.figures)
    mounts("checkpoints", 190_000_000, 1_000_000_000)
    disk = item("disk")
    assert (disk.state, disk.sentence) == (State.WARNING, "A disk is filling up: Checkpoints.")
    mounts("uploads", 0, 64_000_000)
    disk = item("disk")
    assert (disk.state, disk.sentence) == (State.FAILING, "A disk is full or nearly so: Uploads.")
    assert disk.figures["Uploads"].startswith("0")


def test_a_folder_that_cannot_be_read_is_failing(var, monkeypatch):
    def away(path):
        raise OSError(errno.ESTALE, "Stale file handle", str(path))

    monkeypatch.setattr(shutil, "disk_usage", away)
    disk = item("disk")
    assert (disk.state, disk.sentence) == (State.FAILING, f"{var} cannot be read: Stale file handle.")


@pytest.fixture
def asked_anew(monkeypatch):
    """The public status of this test, not that of an earlier one."""
    monkeypatch.setattr(health.public_status, "_kept", None)
    now = [0]
    monkeypatch.setattr(health.public_status, "_signature", lambda: now[0])
    return now


def test_the_status_says_a_word_for_each_part_to_anybody_and_is_cached(client, asked_anew, settings):
    seen("all", "default,light,train", 1)
    first = client.get("/status/")
    status = first.json()
    assert (first.status_code, status["status"], status["version"]) == (200, "degraded", release())
    assert set(status) == {"status", "version", "checked_at", "parts"}
    assert status["parts"] | {"files": "ok"} == {
        "pages": "ok", "log-in": "ok", "jobs": "ok", "search": "degraded", "files": "ok", "mail": "ok",
    }  # fmt: skip
    assert not first.cookies
    assert str(settings.VAR_DIR) not in first.content.decode()
    WorkerHeartbeat.objects.all().delete()
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/status/").json() == status
    assert len(queries) == 0
    asked_anew[0] += 1
    assert client.get("/status/").json()["parts"]["jobs"] == "failing"
    assert client.get("/status/").status_code == 200  # pages are still served
    assert client.post("/status/").status_code == 405


def test_the_status_of_a_site_without_redis_is_failing(client, monkeypatch, asked_anew):
    monkeypatch.setattr(health, "cache_url", lambda: "redis://127.0.0.1:1/0")
    response = client.get("/status/")
    assert (response.status_code, response.json()["status"]) == (503, "failing")


def test_the_last_backup_is_due_after_a_week(var):
    assert "no backup yet" in item("backup").sentence
    for days, state in ((6, State.OK), (8, State.WARNING)):
        created = (timezone.now() - timedelta(days=days)).isoformat()
        record = {"path": "/backups/bank.tar", "created": created, "bytes": 2048}
        (var / BACKUP_RECORD).write_text(json.dumps(record))
        assert item("backup").state == state
    assert item("backup").figures["File"] == "/backups/bank.tar"
    for content in ("", "{}", "[]", '{"created": 3}', "\x00"):
        (var / BACKUP_RECORD).write_text(content)
        assert item("backup").state == State.WARNING


def test_the_command_prints_json_and_ends_with_1_where_something_fails():
    out = io.StringIO()
    with pytest.raises(CommandError, match="Failing: workers"):
        call_command("health", "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert (report["status"], report["release"]) == ("failing", release())
    assert report["checks"]["database"]["status"] == "ok"
    seen("all", "default,light,train", 1)
    out = io.StringIO()
    call_command("health", stdout=out)
    assert "Every queue has a worker." in out.getvalue()


def test_only_admins_see_the_details(client, teacher, reviewer, admin_person):
    assert client.get("/health/details/").status_code == 302
    for person, status in ((teacher, 403), (reviewer, 403), (admin_person, 200)):
        client.force_login(person)
        assert client.get("/health/details/").status_code == status
    page = client.get("/health/details/").content.decode()
    assert f"Kindred {release()}." in page
    assert "No worker is running for: default, light, train." in page
    assert "PostgreSQL" in page
