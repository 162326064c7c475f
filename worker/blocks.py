"""Bulk work in blocks: the worker that has the run plans and works, every idle worker helps.

The run's worker asks for help while blocks are free; a helper has no run of its own and does blocks until none is left,
the run ends or somebody waits for the worker. What dies loses its lease, and another worker takes the block.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Self

from analytics.errors import Cancelled
from questionbank.core import task_queue
from questionbank.models import Run, WorkBlock
from questionbank.registry.block_services import (
    BlockRange,
    block_claim,
    block_finish,
    blocks_extend,
    lease_renewed,
)
from questionbank.registry.run_selectors import BlockSums, block_sums
from worker.reporting import CLOCK_SECONDS, RunReporter, patiently, somebody_waits

WAIT_SECONDS = 0.5  # for blocks that others work on
HELP_SECONDS = 2.0  # between two calls for help
GROW_SECONDS = 5.0  # between two looks for rows that came since the plan


class BlockJob(ABC):
    """Work on ranges of ids that may be done twice with the same result.

    Attributes:
        word: what such jobs are called; see `WorkerCapability.blocks`.
        name: of its blocks: the word and an argument, such as ``vectors/12``.
    """

    word: ClassVar[str]
    name: str

    @classmethod
    @abstractmethod
    def named(cls, argument: str) -> Self | None:
        """Return the job of this name, for a worker that helps; None if what it is about no longer exists."""

    @abstractmethod
    def compute(self, block: WorkBlock, cancel: Callable[[], bool]) -> Callable[[], int]:
        """Compute a block's result.

        Args:
            cancel: whether to stop, because nobody wants the result any more.

        Returns:
            What stores it, in the transaction that finishes the block, and returns the number of rows.
        """

    def ranges_above(self, _last: int) -> Sequence[BlockRange]:
        """Return blocks of the rows that came since the plan: their ids are above its last one."""
        return ()


def work_in_blocks(reporter: RunReporter, job: BlockJob, *, label: str) -> BlockSums:
    """Do the planned blocks of a job together with all workers that are idle; the plan grows by rows that come.

    Returns:
        What was done, by any worker; for blocks that were planned again meanwhile, how far they had come.

    Raises:
        Cancelled: the run was stopped; helpers stop too.
        GaveWay: somebody waits for this worker.
    """
    called, grown = 0.0, time.monotonic()
    furthest = block_sums(job=job.name)
    while True:
        sums = block_sums(job=job.name)
        furthest = max(furthest, sums, key=lambda reached: reached.looked_at)
        message = f"{label}: {sums.looked_at:,} of {sums.total:,}"
        reporter.progress(sums.looked_at, sums.total, message)
        if not sums.unfinished:
            return furthest
        reporter.check()
        reporter.give_way()
        if time.monotonic() - grown > GROW_SECONDS:
            patiently(partial(blocks_extend, job=job.name, ranges=job.ranges_above(sums.last)))
            grown = time.monotonic()
        if sums.free > 1 and time.monotonic() - called > HELP_SECONDS:
            task_queue.ask_for_help(reporter.run, job.name)
            called = time.monotonic()
        if do_block(job, cancel=reporter.should_stop):
            reporter.saved_work()
        elif sums.free == 0:
            time.sleep(WAIT_SECONDS)


def help_with_blocks(run_id: int, job: BlockJob, *, worker: str) -> int:
    """Do blocks of a job until none is free, the run has ended or somebody waits for this worker; return how many."""
    done, began = 0, time.monotonic()
    while True:
        run = patiently(Run.objects.filter(pk=run_id).first)
        if run is None or run.is_finished or run.cancel_requested:
            return done
        if somebody_waits(run, worker=worker, runs_alone=time.monotonic() - began < CLOCK_SECONDS):
            return done
        if not patiently(partial(do_block, job)):
            return done
        done += 1


def do_block(job: BlockJob, *, cancel: Callable[[], bool] = lambda: False) -> bool:
    """Claim a block, compute it and store its result unless the lease was lost; False: no block is free."""
    block = block_claim(job=job.name)
    if block is None:
        return False
    with lease_renewed(block) as is_lost:
        try:
            block_finish(block=block, store=job.compute(block, lambda: cancel() or is_lost()))
        except Cancelled:
            if not is_lost() or cancel():
                raise
    return True
