"""Bulk work in blocks: the worker that holds the run plans and works, and idle workers help.

The run's worker asks for help while blocks are free. A helper has no run of its own and processes blocks until none is
left, the run ends or other work waits for the helper. If a worker dies, its lease expires and another one takes the
block.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar, Self

from analytics.errors import Cancelled
from questionbank.core import task_queue
from questionbank.jobs.resume_services import BlockRange, block_claim, block_finish, blocks_extend, lease_renewed
from questionbank.jobs.run_selectors import BlockSums, block_sums
from questionbank.models import Run, WorkBlock
from worker.reporting import CLOCK_SECONDS, RunReporter, patiently, somebody_waits

WAIT_SECONDS = 0.5  # while others hold the remaining blocks
HELP_SECONDS = 2.0  # between two requests for help
GROW_SECONDS = 5.0  # between two checks for rows added since the plan


class BlockJob(ABC):
    """Work on ranges of ids; doing a block twice gives the same result.

    Attributes:
        word: name of this type of job; see `WorkerCapability.blocks`.
        name: name of its blocks: the word and an argument, such as ``vectors/12``.
    """

    word: ClassVar[str]
    name: str

    @classmethod
    @abstractmethod
    def named(cls, argument: str) -> Self | None:
        """Return the job with this name, for a helping worker; None if its subject no longer exists."""

    @abstractmethod
    def compute(self, block: WorkBlock, cancel: Callable[[], bool]) -> Callable[[], int]:
        """Compute a block's result.

        Args:
            cancel: returns whether to stop because the result is no longer wanted.

        Returns:
            A function that stores it, in the transaction that finishes the block, and returns the number of rows.
        """

    def ranges_above(self, _last: int) -> Sequence[BlockRange]:
        """Return blocks of the rows added since the plan: their ids are greater than its last one."""
        return ()


def work_in_blocks(reporter: RunReporter, job: BlockJob, *, label: str) -> BlockSums:
    """Process the planned blocks of a job together with all idle workers; the plan is extended by rows added meanwhile.

    Returns:
        Sums of the work done by all workers; if the blocks were replanned meanwhile, the greatest progress reached.

    Raises:
        Cancelled: the run was stopped; helpers stop too.
        GaveWay: other work waits for this worker.
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
    """Process blocks until none is free, the run has ended or other work waits for this worker; return their number."""
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
    """Claim and compute a block, and store its result unless the lease was lost; False if no block is free."""
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
