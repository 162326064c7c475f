"""Runners: who does a job's blocks. They take items a few at a time and give results as they come."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from typing import Any, TypeVar

from analytics.child_process import die_with_parent
from analytics.errors import EngineError

Key = TypeVar("Key")
Item = TypeVar("Item")
Result = TypeVar("Result")

Runner = Callable[[Callable[[Any], Any], Iterable[tuple[Any, Any]]], Iterator[tuple[Any, Any]]]
"""Called with a function and pairs of a key and what the function is called with; yields pairs of key and result."""

_PATIENCE_SECONDS = 5.0


def in_this_process(
    work: Callable[[Item], Result], items: Iterable[tuple[Key, Item]]
) -> Iterator[tuple[Key, Result]]:
    """Do one item after another here."""
    for key, item in items:
        yield key, work(item)


def in_processes(
    processes: int, work: Callable[[Item], Result], items: Iterable[tuple[Key, Item]]
) -> Iterator[tuple[Key, Result]]:
    """Do the items in processes of this machine, which end with this one however it ends.

    Raises:
        EngineError: one of them was killed.
    """
    threads = max(1, len(os.sched_getaffinity(0)) // processes)
    pool = ProcessPoolExecutor(
        processes, multiprocessing.get_context("spawn"), partial(_begin_process, os.getpid(), threads)
    )
    try:
        yield from bounded(lambda item: pool.submit(work, item), items, lambda: 2 * processes)
    except BrokenProcessPool as error:
        raise EngineError(
            "A process was killed, perhaps because memory is full: give the command again, with fewer processes."
        ) from error
    finally:
        for child in multiprocessing.active_children():
            child.terminate()  # what it computes is not wanted any more
        pool.shutdown(cancel_futures=True)


def _begin_process(parent: int, threads: int) -> None:
    die_with_parent(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends us
    os.environ["OMP_NUM_THREADS"] = str(threads)


def bounded(
    submit: Callable[[Item], Future[Result]],
    items: Iterable[tuple[Key, Item]],
    limit: Callable[[], int],
    check: Callable[[], None] = lambda: None,
) -> Iterator[tuple[Key, Result]]:
    """Submit items, of which at most `limit` are under way, and yield what is finished.

    Args:
        check: called every few seconds while nothing finishes; may raise.
    """
    running: dict[Future[Result], Key] = {}

    def finished() -> Iterator[tuple[Key, Result]]:
        done, _others = wait(running, _PATIENCE_SECONDS, FIRST_COMPLETED)
        if not done:
            check()
        for future in done:
            yield running.pop(future), future.result()

    for key, item in items:
        running[submit(item)] = key
        while len(running) >= limit():
            yield from finished()
    while running:
        yield from finished()
