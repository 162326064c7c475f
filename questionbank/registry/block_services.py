"""Blocks of bulk work: planned once, claimed by any worker, each result stored once.

A block's work may be done twice, by a worker that was taken for dead and by the one that took over; its result is
stored once, because `block_finish` asks in the same transaction whether the lease still holds. Leases are rows and the
time is the database's, so neither clocks of machines nor a pool of connections matter.
"""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

from django.db import Error as DatabaseError
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from questionbank.models import WorkBlock

LEASE = timedelta(seconds=20)  # after so long without renewal another worker takes the block
RENEW_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class BlockRange:
    """The ids of a block, both ends included, and how many rows there are to work on."""

    first: int
    last: int
    size: int


def block_ranges(ids: Sequence[int], size: int) -> list[BlockRange]:
    """Return ascending ids in blocks of at most so many."""
    parts = [ids[start : start + size] for start in range(0, len(ids), size)]
    return [BlockRange(part[0], part[-1], len(part)) for part in parts]


def blocks_plan(*, job: str, ranges: Sequence[BlockRange]) -> None:
    """Replace the blocks of a job; call it while holding the job's turn."""
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
    """Return the first block of a job that nobody works on, with a lease; None: there is none."""
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
    """Store a block's result and finish it in one transaction; False: another worker has the block.

    Args:
        store: writes the result and returns the number of rows that it stored.
    """
    with transaction.atomic():
        if _held(block).select_for_update().first() is None:
            return False
        WorkBlock.objects.filter(pk=block.pk).update(done=store(), holder=None, until=None)
    return True


def block_give_back(*, block: WorkBlock) -> None:
    """Let another worker claim a block at once."""
    _held(block).update(holder=None, until=None)


def _held(block: WorkBlock) -> QuerySet[WorkBlock]:
    return WorkBlock.objects.filter(pk=block.pk, holder=block.holder)


@contextmanager
def lease_renewed(block: WorkBlock) -> Iterator[Callable[[], bool]]:
    """Renew a block's lease in a thread, so that slow work keeps it, and give it back where the work fails.

    Yields:
        A function that returns whether the lease was lost: what is computed will not be stored.
    """
    finished, lost = threading.Event(), threading.Event()
    thread = threading.Thread(target=_renew, args=(block, finished, lost), daemon=True)
    thread.start()
    try:
        yield lost.is_set
    except BaseException:
        with suppress(DatabaseError):  # then the lease runs out
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
    """Do something that one process does at a time, wherever it runs.

    Args:
        wait: is called again and again while another process has the turn; may raise.
    """
    WorkBlock.objects.bulk_create([WorkBlock(job=name)], ignore_conflicts=True)
    while (block := block_claim(job=name)) is None:
        wait()
    with lease_renewed(block):
        yield
    block_give_back(block=block)
