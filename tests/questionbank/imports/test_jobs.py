"""Importing as a job: the page uploads, a worker imports."""

from __future__ import annotations

import gzip
import threading
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.utils import timezone

from analytics.errors import Cancelled
from questionbank.core.errors import Conflict, ImportRefused, NotAllowed, ValidationFailed
from questionbank.core.storage import UPLOADS_KEPT
from questionbank.imports import services as imports
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_kept, import_repeat, run_import, upload_keep
from questionbank.imports.undo_services import import_undo_request
from questionbank.jobs import run_services as runs
from questionbank.jobs.progress import progress_beside
from questionbank.models import KnowledgeHierarchy, Question, Run, VocabularyWord
from tests.worker.jobs import Reporter

pytestmark = pytest.mark.django_db

GOOD = b'{"id": "a", "text": "1 + 1", "concepts": [["Sums"]]}\n{"id": "b", "text": "2 + 2"}\n'
BAD = GOOD + b'{"id": "c", "text": 5}\n'


@pytest.fixture(autouse=True)
def uploads(own_uploads):
    return storages["uploads"]


def request(content: bytes = GOOD, name: str = "maths.jsonl", user=None, format: str = "auto", **options) -> Run:
    kept = upload_keep(upload=ContentFile(content), name=name, user=user, format=format)
    return import_kept(kept=kept, user=user, options=ImportOptions(format=format, **options))


def test_a_request_keeps_the_file_and_queues_a_run(admin_person, uploads):
    run = request(name="C:\\files\\maths.jsonl", user=admin_person, hierarchy="h", dry_run=True)
    assert (run.kind, run.state, run.requested_by) == ("import", "queued", admin_person)
    assert run.title == "Check of maths.jsonl"
    assert run.parameters["name"] == "maths.jsonl"
    with uploads.open(run.parameters["upload"]) as kept:
        assert kept.read() == GOOD


def test_reviewers_import_nothing_and_teachers_not_what_somebody_else_uploaded(teacher, reviewer):
    with pytest.raises(NotAllowed):
        request(user=reviewer)
    for person in (teacher, reviewer):
        with pytest.raises(NotAllowed):
            import_repeat(run=request(dry_run=True), user=person)


@pytest.mark.parametrize(
    ("may_publish", "asked", "status"), [(True, "draft", "draft"), (True, "ready", "ready"), (False, "ready", "draft")]
)
def test_a_teacher_s_import_is_published_where_the_setting_lets_it(teacher, settings, may_publish, asked, status):
    settings.TEACHERS_PUBLISH_IMPORTS = may_publish
    check = request(user=teacher, dry_run=True, status=asked)
    run_import(check, Reporter())
    run = import_repeat(run=check, user=teacher)
    result = run_import(run, Reporter())
    assert set(Question.objects.values_list("status", "created_by")) == {(status, teacher.pk)}
    assert not KnowledgeHierarchy.objects.exists()  # admins alone add concepts, and the report says so
    (warning,) = result["warnings"]
    assert warning["reason"] == "'Sums' is not a concept of the hierarchy; the question gets no tag for it"
    runs.run_start(run_id=run.pk, worker="here")
    runs.run_succeed(run=Run.objects.get(pk=run.pk), result=result)
    assert import_undo_request(run=Run.objects.get(pk=run.pk), user=teacher).kind == "undo"
    with pytest.raises(NotAllowed):
        import_undo_request(run=request(), user=teacher)


@pytest.mark.parametrize("dry_run", [True, False])
def test_what_is_confirmed_twice_is_done_once(admin_person, dry_run):
    check = request(user=admin_person, dry_run=True)
    first, again = (import_repeat(run=check, user=admin_person, dry_run=dry_run) for _click in range(2))
    assert first == again
    if not dry_run:
        runs.run_start(run_id=first.pk, worker="here")
        runs.run_succeed(run=Run.objects.get(pk=first.pk), result=run_import(first, Reporter()))
        assert import_repeat(run=check, user=admin_person) == first  # the third click comes late
    assert Run.objects.filter(kind="import").count() == (1 if dry_run else 2)


def test_an_unknown_format_is_refused_before_anything_is_kept(uploads):
    with pytest.raises(ValidationFailed, match="'scorm' is not known"):
        request(format="scorm")
    assert not Run.objects.exists()


def test_a_run_imports_and_forgets_the_file(admin_person, uploads):
    run = request(user=admin_person)
    result = run_import(run, Reporter())
    assert (result["created"], result["written"]) == (2, True)
    assert set(Question.objects.values_list("source", "created_by")) == {("maths", admin_person.pk)}
    assert KnowledgeHierarchy.objects.get().name == "maths"
    assert not uploads.exists(run.parameters["upload"])
    assert Run.objects.filter(kind="import").count() == 1  # its own run is the row that tells of it


def test_a_check_writes_nothing_and_the_import_follows_from_it(uploads):
    check = request(BAD, hierarchy="h", source="s", dry_run=True)
    result = run_import(check, Reporter())
    assert (result["created"], result["refused_count"], result["written"]) == (2, 1, False)
    assert result["refused"] == [{"line": 3, "reason": "text must be a string, not a number", "field": "text"}]
    assert not Question.objects.exists()
    run = import_repeat(run=check, user=None, skip_invalid=True)
    assert run.title == "Import of maths.jsonl"
    assert run_import(run, Reporter())["created"] == 2
    assert KnowledgeHierarchy.objects.get().name == "h"
    with pytest.raises(Conflict, match="no longer stored"):
        import_repeat(run=check, user=None, dry_run=True, update=True)


def test_refused_lines_are_the_runs_result_and_not_in_its_log_too(uploads):
    run, reporter = request(BAD), Reporter()
    with pytest.raises(ImportRefused, match="1 line of 3 in maths"):
        run_import(run, reporter)
    assert reporter.result["refused"][0]["line"] == 3
    assert reporter.lines == []
    assert not Question.objects.exists()
    assert not Run.objects.filter(kind="embed").exists()
    assert uploads.exists(run.parameters["upload"])


@pytest.mark.parametrize(
    ("content", "name", "reason"),
    [
        (gzip.compress(GOOD * 50, mtime=0)[:60], "a.jsonl.gz", "is cut off"),
        (b"", "a.jsonl", "a.jsonl is empty"),
        (b"<html>", "a.html", "a.html is a web page"),
        (b'{"id": 1, "name": "A", "parent": 1}', "a.jsonl", "The concepts form a cycle"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_by_its_own_name(content, name, reason):
    reporter = Reporter()
    with pytest.raises(ImportRefused, match=reason):
        run_import(request(content, name), reporter)
    assert reporter.result["name"] == name
    assert not Question.objects.exists()


def test_a_cancelled_run_writes_nothing(uploads):
    run, reporter = request(), Reporter()
    reporter.stop = True
    with pytest.raises(Cancelled):
        run_import(run, reporter)
    assert not Question.objects.exists()
    assert uploads.exists(run.parameters["upload"])


def test_a_worker_that_dies_after_the_commit_loses_neither_vectors_nor_vocabulary(monkeypatch):
    run = request()
    with monkeypatch.context() as patched:
        patched.setattr(imports, "vocabulary_refresh", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            run_import(run, Reporter())
    assert Question.objects.count() == 2
    assert Run.objects.filter(kind="embed", state="queued").count() == 1
    result = run_import(run, Reporter())
    assert (result["created"], result["duplicates"]) == (0, 2)
    assert VocabularyWord.objects.exists()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("卷" * 140 + ".jsonl", "卷" * 48 + ".jsonl"),  # three bytes a character; 255 is a file system's limit
        ("..", "upload"),
        ("folder/..", "upload"),
    ],
)
def test_a_name_that_no_folder_could_hold_is_made_one(name, kept):
    run = request(name=name)
    assert run.parameters["name"] == kept
    assert run_import(run, Reporter())["created"] == 2


def test_a_run_whose_file_is_gone_says_so(uploads):
    run = request()
    uploads.delete(run.parameters["upload"])
    with pytest.raises(Conflict, match="upload it again"):
        run_import(run, Reporter())


def test_uploads_that_nobody_followed_up_are_forgotten(uploads, monkeypatch):
    old = request().parameters["upload"]
    later = timezone.now() + UPLOADS_KEPT * 2
    monkeypatch.setattr("questionbank.core.storage.timezone", SimpleNamespace(now=lambda: later))
    request()
    assert not uploads.exists(old)


def test_progress_is_told_from_another_thread_and_only_the_latest(monkeypatch):
    monkeypatch.setattr("questionbank.jobs.progress.INTERVAL", 0.02)
    told = []
    is_latest_told = threading.Event()

    def note(done: int, *more: object) -> None:
        told.append(done)
        if done == 9_999:
            is_latest_told.set()

    with progress_beside(note) as tell:
        for done in range(10_000):
            tell(done, 10_000, "Reading")
        assert is_latest_told.wait(60)
    assert told == sorted(set(told))
    assert len(told) < 5_000
