"""Checkpoints in the object store, so that any machine can resume; and the removal of unneeded ones.

A checkpoint is stored as a new file with a number at the end of its name; the former one is deleted once the new
one is complete.
"""

from __future__ import annotations

import re
import shutil
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.db.models import Q
from django.utils import timezone

from analytics.atomic_file import written_aside
from questionbank.jobs.run_selectors import CHECKPOINT, STORED, checkpoints_root, stored_names
from questionbank.models import Run

KEPT_FOR = timedelta(days=30)  # after a training run failed or was cancelled

_NAME = re.compile(r"run-(\d{1,18})")


def checkpoint_store(*, run_id: int, folder: Path) -> None:
    """Copy a run's checkpoint and training data into the object store, if there is one."""
    if STORED not in settings.STORAGES:
        return
    names = stored_names(run_id=run_id)
    former = [name for name in names if name.startswith(CHECKPOINT)]
    number = int(former[-1].rpartition(".")[2]) + 1 if former else 1
    files = {path.name: path for path in folder.glob("*.json.gz") if path.name not in names}
    if (folder / CHECKPOINT).is_file():
        files[f"{CHECKPOINT}.{number:08}"] = folder / CHECKPOINT
    for name, path in files.items():
        with path.open("rb") as stream:
            storages[STORED].save(f"run-{run_id}/{name}", File(stream))
    if f"{CHECKPOINT}.{number:08}" in files:
        for name in former:
            storages[STORED].delete(f"run-{run_id}/{name}")


def checkpoint_fetch(*, run_id: int, folder: Path) -> None:
    """Copy a run's newest checkpoint and training data from the object store, if it has a checkpoint."""
    names = stored_names(run_id=run_id)
    stored = [name for name in names if name.startswith(CHECKPOINT)]
    if not stored:
        return
    targets = {name: name for name in names if name not in stored} | {stored[-1]: CHECKPOINT}
    folder.mkdir(parents=True, exist_ok=True)
    for name, target in targets.items():
        with storages[STORED].open(f"run-{run_id}/{name}") as source, written_aside(folder / target) as copy:
            shutil.copyfileobj(source, copy)


def checkpoint_forget(*, run_id: int, folder: Path) -> None:
    """Delete a run's checkpoint and training data, here and in the object store."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in stored_names(run_id=run_id):
        storages[STORED].delete(f"run-{run_id}/{name}")


def checkpoints_clear() -> int:
    """Delete the checkpoints of runs that succeeded, were deleted, or stopped long ago, and return their number.

    Only those in this machine's `VAR_DIR` and in the object store.
    """
    stored = storages[STORED].listdir("")[0] if STORED in settings.STORAGES else []
    folders = {int(match[1]): checkpoints_root() / match[0] for match in map(_NAME.fullmatch, stored) if match}
    folders |= {
        int(match[1]): path
        for path in sorted(checkpoints_root().glob("run-*"))
        if (match := _NAME.fullmatch(path.name)) and path.is_dir()
    }
    stopped_lately = Q(state__in=(Run.State.FAILED, Run.State.CANCELLED)) & Q(
        finished_at__gte=timezone.now() - KEPT_FOR
    )
    # Queried after the folders were listed: a run that has a folder has its row.
    resumable = set(
        Run.objects.filter(Q(pk__in=folders) & (~Q(state__in=Run.FINISHED) | stopped_lately)).values_list(
            "pk", flat=True
        )
    )
    abandoned = {number: path for number, path in folders.items() if number not in resumable}
    for number, path in abandoned.items():
        checkpoint_forget(run_id=number, folder=path)
    return len(abandoned)
