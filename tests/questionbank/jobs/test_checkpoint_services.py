"""Clearing away checkpoints."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from questionbank.jobs.checkpoint_services import KEPT_FOR, checkpoints_clear
from questionbank.jobs.run_selectors import checkpoint_folder, checkpoints_root
from questionbank.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_files(settings, tmp_path):
    settings.VAR_DIR = tmp_path


def with_folder(state: str, *, ended: timedelta | None = None) -> Run:
    run = Run.objects.create(
        kind="train", capability="encoder", state=state,
        finished_at=None if ended is None else timezone.now() - ended,
    )  # fmt: skip
    checkpoint_folder(run.pk).mkdir(parents=True)
    (checkpoint_folder(run.pk) / "checkpoint.pt").write_bytes(b"weights")
    return run


def test_only_what_nobody_goes_on_with_is_deleted():
    day = timedelta(days=1)
    kept = [
        with_folder("queued"),
        with_folder("running"),
        with_folder("failed", ended=KEPT_FOR - day),
        with_folder("cancelled", ended=KEPT_FOR - day),
    ]
    gone = [
        with_folder("succeeded", ended=day),
        with_folder("failed", ended=KEPT_FOR + day),
        with_folder("cancelled", ended=KEPT_FOR + day),
    ]
    deleted = with_folder("queued")
    number = deleted.pk
    deleted.delete()
    (checkpoints_root() / "run-notes").mkdir()
    (checkpoints_root() / "run-7.txt").write_text("mine")
    assert checkpoints_clear() == 4
    assert all((checkpoint_folder(run.pk) / "checkpoint.pt").is_file() for run in kept)
    assert not any(checkpoint_folder(run.pk).exists() for run in gone)
    assert not checkpoint_folder(number).exists()
    assert (checkpoints_root() / "run-notes").is_dir()
    assert (checkpoints_root() / "run-7.txt").is_file()
    assert checkpoints_clear() == 0


def test_without_a_folder_there_is_nothing_to_do():
    assert checkpoints_clear() == 0


def test_the_clock_asks_those_who_train():
    from django.conf import settings

    from worker.tasks import checkpoints_clear_away

    entry = settings.CELERY_BEAT_SCHEDULE["clear-checkpoints"]
    assert entry["task"] == checkpoints_clear_away.name
    assert entry["options"]["queue"] == "train"
