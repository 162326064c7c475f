"""What lets a job go on where it stopped: blocks of bulk work, and checkpoints of trainings in the object store.

Blocks are planned once, claimed by any worker, and each result is stored once.

A block may be computed twice, by a worker that was taken for dead and by the one that took over. Its result is
stored once, because `block_finish` checks in the same transaction that the lease is still held. Leases are rows and
use the database's time, so neither clock differences nor connection pools matter.

With checkpoints in the object store, any machine can resume a training. One is stored as a new file with a number at
the end of its name; the former one is deleted once the new one is complete.
"""

from __future__ import annotations

import re
import shutil
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import storages
from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from analytics.atomic_file import written_aside
from questionbank.jobs.run_selectors import CHECKPOINT, STORED, checkpoints_root, stored_names
from questionbank.models import Run, WorkBlock

LEASE = timedelta(seconds=20)  # another worker may take the block when the lease was not renewed for so long
RENEW_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class BlockRange:
    """The first and last id of a block (inclusive), and the number of rows to work on."""

    first: int
    last: int
    size: int


def block_ranges(ids: Sequence[int], size: int) -> list[BlockRange]:
    """Split ascending ids into blocks of at most `size`."""
    parts = [ids[start : start + size] for start in range(0, len(ids), size)]
    return [BlockRange(part[0], part[-1], len(part)) for part in parts]


def blocks_plan(*, job: str, ranges: Sequence[BlockRange]) -> None:
    """Replace the blocks of a job; call it while holding the job's `turn`."""
    with transaction.atomic():
        WorkBlock.objects.filter(job=job).delete()
        blocks_extend(job=job, ranges=ranges)


def blocks_extend(*, job: str, ranges: Sequence[BlockRange]) -> None:
    """Add blocks to a job; several processes may add the same ones."""
    WorkBlock.objects.bulk_create(
        (WorkBlock(job=job, first=block.first, last=block.last, size=block.size) for block in ranges),
        ignore_conflicts=True,
    )


def block_claim(*, job: str) -> WorkBlock | None:
    """Claim the first free block of a job and return it with a lease; None if no block is free."""
    free = Q(until=None) | Q(until__lt=Now())
    with transaction.atomic():
        rows = WorkBlock.objects.select_for_update(skip_locked=True).filter(free, job=job, done=None)
        block = rows.order_by("first").first()
        if block is None:
            return None
        block.holder = uuid.uuid4()
        WorkBlock.objects.filter(pk=block.pk).update(holder=block.holder, until=Now() + LEASE)
    return block


def block_finish(*, block: WorkBlock, store: Callable[[], int]) -> bool:
    """Store a block's result and finish it in one transaction; False if another worker holds the block.

    Args:
        store: writes the result and returns the number of rows stored.
    """
    with transaction.atomic():
        if _held(block).select_for_update().first() is None:
            return False
        WorkBlock.objects.filter(pk=block.pk).update(done=store(), holder=None, until=None)
    return True


def block_give_back(*, block: WorkBlock) -> None:
    """Release a block so that another worker can claim it at once."""
    _held(block).update(holder=None, until=None)


def _held(block: WorkBlock) -> QuerySet[WorkBlock]:
    return WorkBlock.objects.filter(pk=block.pk, holder=block.holder)


@contextmanager
def lease_renewed(block: WorkBlock) -> Iterator[Callable[[], bool]]:
    """Renew a block's lease in a thread while slow work runs, and release the block if the work fails.

    Yields:
        A function that returns whether the lease was lost, in which case the result will not be stored.
    """
    finished, lost = threading.Event(), threading.Event()
    thread = threading.Thread(target=_renew, args=(block, finished, lost), daemon=True)
    thread.start()
    try:
        yield lost.is_set
    except BaseException:
        with suppress(DatabaseError):  # the lease expires by itself
            block_give_back(block=block)
        raise
    finally:
        finished.set()
        thread.join(timeout=RENEW_SECONDS)


def _renew(block: WorkBlock, finished: threading.Event, lost: threading.Event) -> None:
    try:
        while not finished.wait(RENEW_SECONDS):
            try:
                if not _held(block).update(until=Now() + LEASE):
                    lost.set()
                    return
            except DatabaseError:
                connection.close()  # the next round connects again
    finally:
        connection.close()


@contextmanager
def turn(name: str, *, wait: Callable[[], None]) -> Iterator[None]:
    """Hold a named lock across processes and machines.

    Args:
        wait: called repeatedly while another process holds the lock; may raise.
    """
    WorkBlock.objects.bulk_create([WorkBlock(job=name)], ignore_conflicts=True)
    while (block := block_claim(job=name)) is None:
        wait()
    with lease_renewed(block):
        yield
    block_give_back(block=block)


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
