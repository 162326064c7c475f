"""What killed processes leave, and the free space asked for before work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.conf import settings as site
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from questionbank.core import storage as disk
from questionbank.core import storage as scratch
from questionbank.core.errors import ServiceUnavailable
from questionbank.models import Question, Run
from worker.tasks import import_questions

OWNER = """
import sys, time
from pathlib import Path
from django.conf import settings
settings.configure(VAR_DIR=Path(sys.argv[1]))
from questionbank.core.storage import scratch_folder, scratch_owned
folder, archive = Path(sys.argv[2]), Path(sys.argv[2]) / ".bank.tar.1"
beside = scratch_folder(parent=folder, prefix=".bank.tar.")
with scratch_folder(prefix="restore-") as own, beside, scratch_owned(archive):
    (own / "dump").write_bytes(bytes(1000))
    archive.write_bytes(bytes(1000))
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def var(settings, tmp_path) -> Path:
    settings.VAR_DIR = tmp_path / "var"
    return settings.VAR_DIR


@pytest.fixture
def owner(var, tmp_path):
    """A process that holds a folder in VAR_DIR, and a folder and a file beside a backup."""
    backups = tmp_path / "backups"
    backups.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(var), str(backups)], cwd=site.BASE_DIR, stdout=subprocess.PIPE
    )
    assert process.stdout.readline() == b"ready\n"
    yield process, backups
    process.kill()
    process.wait()
    process.stdout.close()


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_holds_stays(var, owner):
    process, backups = owner
    assert len(list(backups.iterdir())) == 2
    assert scratch.scratch_sweep() == []
    assert len(list(backups.iterdir())) == 2
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert len(scratch.scratch_sweep()) == 3
    assert list(backups.iterdir()) == []
    assert list((var / "scratch").iterdir()) == []


def test_a_note_whose_writer_was_killed_before_it_had_its_name_is_removed(var):
    unfinished = var / "scratch" / "0123.new"
    unfinished.parent.mkdir(parents=True)
    for written in ("", '{"path": "/nowhere", "pid": 1}'):
        unfinished.write_text(written)
        assert scratch.scratch_sweep() == []
        assert list(unfinished.parent.iterdir()) == []


def test_nothing_is_left_after_an_orderly_end_or_an_error(var):
    def fail() -> None:
        with scratch.scratch_folder() as folder:
            (folder / "file").write_text("x")
            raise ValueError("halfway")

    with pytest.raises(ValueError, match="halfway"):
        fail()
    assert list((var / "scratch").iterdir()) == []


def test_work_begins_even_where_no_note_can_be_written(var, tmp_path):
    var.parent.mkdir(exist_ok=True)
    var.write_text("in the way")
    with scratch.scratch_folder(parent=tmp_path / "elsewhere") as folder:
        assert folder.is_dir()
    assert not folder.exists()


@pytest.fixture
def full(monkeypatch):
    usage = SimpleNamespace(total=10**10, used=10**10, free=3_000_000)
    monkeypatch.setattr(disk.shutil, "disk_usage", lambda _path: usage)


def test_work_that_would_fill_the_disk_is_refused_with_both_figures(full, tmp_path):
    with pytest.raises(ServiceUnavailable, match=r"The backup needs about 200\.3.MB .* 2\.9.MB are free"):
        disk.require_space(tmp_path / "not" / "there", 10_000_000, what="The backup")


def test_an_upload_is_refused_before_it_is_kept(full, client, admin_person, tmp_path):
    client.force_login(admin_person)
    upload = SimpleUploadedFile("questions.jsonl", b'{"text": "What is 2 + 2?"}\n')
    response = client.post(reverse("import_create"), {"file": upload, "format": "auto"})
    assert response.status_code == 503
    assert "disk is nearly full" in response.content.decode()
    assert not Run.objects.exists()


def test_an_import_whose_disk_filled_up_since_ends_in_a_sentence_and_adds_nothing(
    client, admin_person, monkeypatch, request
):
    client.force_login(admin_person)
    upload = SimpleUploadedFile("questions.jsonl", b'{"text": "What is 2 + 2?"}\n')
    client.post(reverse("import_create"), {"file": upload, "format": "auto"})
    run = Run.objects.get()
    request.getfixturevalue("full")
    import_questions(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FAILED
    assert run.error.startswith("The import needs about 190")
    assert not Question.objects.exists()


def test_a_backup_is_refused_in_a_sentence_and_leaves_nothing(full, var, transactional_db, tmp_path):
    with pytest.raises(CommandError, match="The backup needs about"):
        call_command("backup", str(tmp_path / "bank.tar"))
    assert [path.name for path in tmp_path.iterdir() if path.name != "var"] == []
