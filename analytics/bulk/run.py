"""Run a job over the blocks of files: existing results are kept, and a runner computes the rest.

The runner for a Ray cluster sends one task per block, which is retried on another machine if its machine dies. All
our code is in the functions that the tasks call; Ray schedules, retries and counts them (decision 124).
"""

from __future__ import annotations

import ctypes
import json
import logging
import multiprocessing
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from analytics.artifacts import MANIFEST_NAME
from analytics.atomic_file import write_json
from analytics.bulk.files import (
    Texts,
    find_files,
    only_writer,
    read_block,
    read_blocks,
    read_manifest,
    reason_of,
    write_block,
)
from analytics.bulk.jobs import BlockWork, Job, installed_versions
from analytics.errors import AnalyticsError, DataError, EngineError

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int = 0) -> None:
    """Have the kernel kill this process as soon as its parent ends, even by kill -9.

    Args:
        parent: its process id, if known; otherwise a parent with process id 1 means that the real parent has
            ended.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    has_ended = os.getppid() != parent if parent else os.getppid() == 1
    if has_ended:  # it was killed before we registered
        sys.exit(1)


Key = TypeVar("Key")
Item = TypeVar("Item")
Result = TypeVar("Result")

Runner = Callable[[Callable[[Any], Any], Iterable[tuple[Any, Any]]], Iterator[tuple[Any, Any]]]
"""Called with a function and pairs of a key and an argument; yields pairs of key and result."""

_PATIENCE_SECONDS = 5.0


def in_this_process(work: Callable[[Item], Result], items: Iterable[tuple[Key, Item]]) -> Iterator[tuple[Key, Result]]:
    """Process the items one after another in this process."""
    for key, item in items:
        yield key, work(item)


def in_processes(
    processes: int, work: Callable[[Item], Result], items: Iterable[tuple[Key, Item]]
) -> Iterator[tuple[Key, Result]]:
    """Process the items in child processes, which end with this one however it ends.

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
            "A process was killed, perhaps because memory is full: repeat the command with fewer processes."
        ) from error
    finally:
        for child in multiprocessing.active_children():
            child.terminate()  # its results are no longer wanted
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
    """Submit items, at most `limit` at a time, and yield the finished ones.

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


_SAY_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """A block of the input, with the digest that its results must have."""

    name: str
    rows: int
    digest: str


class JobRun:
    """A job over the blocks of files, with results in a folder. Rerunning it resumes where it stopped."""

    def __init__(
        self, job: Job, patterns: Sequence[str], block_rows: int, output: Path, say: Callable[[str], None]
    ) -> None:
        self.job, self.output, self.say = job, output, say
        self._block_rows = block_rows
        self._about = {"job": job.word, "fields": list(job.fields)} | job.about()
        self._digested = json.dumps(self._about, sort_keys=True)
        self._files = find_files(patterns)

    def run(self, runner: Runner) -> str:
        """Compute the missing results and return a sentence that describes what was done.

        Raises:
            DataError: a file cannot be read, is empty, or the folder has results of another model.
            EngineError: the engine that does the work fails.
            OSError: the folder cannot be written.
        """
        plan, passed_over = self._plan()
        rows = sum(block.rows for block in plan)
        with only_writer(self.output):
            missing = {block.name: block for block in plan if read_block(self.output, block.name, block.digest) is None}
            self._write_manifest(plan, passed_over, is_complete=not missing)
            if missing:
                self._compute(runner, missing, rows)
                self._write_manifest(plan, passed_over, is_complete=True)
        kept = f", {len(plan) - len(missing):,} of which were there already" if len(missing) < len(plan) else ""
        without = f" {passed_over:,} rows without a text were passed over." if passed_over else ""
        return f"{rows:,} {self.job.title} are in {self.output}, in {len(plan):,} blocks{kept}.{without}"

    def _plan(self) -> tuple[list[PlannedBlock], int]:
        """Read all files once, so that unreadable input is reported before anything is computed."""
        manifest = read_manifest(self.output)
        if manifest is not None and manifest["about"] != self._about:
            raise DataError(f"{self.output} has results of another model or job: choose another folder.")
        plan, passed_over = [], 0
        for file in self._files:
            rows = 0
            for block in read_blocks(file, self.job.fields, self._block_rows):
                passed_over += block.passed_over
                if block.rows:
                    plan.append(PlannedBlock(block.name, len(block.rows), block.digest(self._digested)))
                    rows += len(block.rows)
            if not rows:
                raise DataError(f"{file} holds no row with {' and '.join(self.job.fields)}.")
        return plan, passed_over

    def _write_manifest(self, plan: Sequence[PlannedBlock], passed_over: int, *, is_complete: bool) -> None:
        inputs = [
            {"name": file.name, "bytes": file.stat().st_size, "modified": file.stat().st_mtime} for file in self._files
        ]
        body: dict[str, Any] = {
            "about": self._about,
            "is_complete": is_complete,
            "rows": sum(block.rows for block in plan),
            "passed_over": passed_over,
            "inputs": inputs,
            "block_rows": self._block_rows,
            "versions": installed_versions(),
            "blocks": [asdict(block) for block in plan],
        }
        write_json(self.output / MANIFEST_NAME, body)

    def _compute(self, runner: Runner, missing: dict[str, PlannedBlock], total: int) -> None:
        identifiers: dict[str, list[str]] = {}

        def items() -> Iterator[tuple[str, list[Texts]]]:
            for file in self._files:
                for block in read_blocks(file, self.job.fields, self._block_rows):
                    if block.name not in missing:
                        continue
                    if block.digest(self._digested) != missing[block.name].digest:
                        raise DataError(f"{file} changed during the run: repeat the command.")
                    identifiers[block.name] = [identifier for identifier, _texts in block.rows]
                    yield block.name, [texts for _identifier, texts in block.rows]

        work = BlockWork(self.job, json.dumps(self.job.about(), sort_keys=True), tuple(installed_versions().items()))
        before = total - sum(block.rows for block in missing.values())
        began = said = time.monotonic()
        done = 0
        for name, columns in runner(work, items()):
            write_block(self.output, name, identifiers.pop(name), columns, missing[name].digest)
            done += missing[name].rows
            if time.monotonic() - said > _SAY_SECONDS:
                said = time.monotonic()
                self.say(f"{before + done:,} of {total:,} {self.job.title} ({done / (said - began):,.0f} a second)")


HERE = "local"
"""Address of a cluster that is started on this machine and ends with the command."""

_ANSWER_SECONDS = 5.0
_RETRIES = 20  # per block, if its process or machine dies


@dataclass(frozen=True, slots=True)
class Cluster:
    """How to connect to Ray.

    Attributes:
        address: host and port of the head node, ``auto`` for the cluster that this machine has joined, or
            `HERE`.
        nodes: number of machines that must have joined before work begins.
        wait_seconds: how long to wait for them.
    """

    address: str = HERE
    nodes: int = 1
    wait_seconds: float = 60.0


@contextmanager
def ray_runner(cluster: Cluster, say: Callable[[str], None]) -> Iterator[Runner]:
    """Connect to a cluster, and disconnect at the end.

    Raises:
        EngineError: Ray is not installed, the address does not respond, or too few machines have joined.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would send usage statistics
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # otherwise it warns of a future change
    try:
        import ray
    except ImportError:
        raise EngineError("Ray is not installed: install it with pip install '.[scale]'.") from None
    _check_address(cluster.address)
    own: dict[str, Any] = {"include_dashboard": False} if cluster.address == HERE else {}
    if own and "RAY_AUTH_MODE" not in os.environ:  # otherwise Ray writes a token into the home folder
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    try:
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise EngineError(
            f"Ray at {cluster.address} cannot be used: {reason_of(error)} (If it asks for a token, set"
            " RAY_AUTH_MODE=token and RAY_AUTH_TOKEN.)"
        ) from error
    try:
        _wait_for_nodes(ray, cluster, say)
        yield partial(_in_tasks, ray, cluster)
    finally:
        ray.shutdown()


def _check_address(address: str) -> None:
    """Check the address first: Ray itself retries for two minutes and then ends the process."""
    host, _colon, port = address.rpartition("://")[2].rpartition(":")
    if not host:  # `auto`, `local`
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), _ANSWER_SECONDS).close()
    except (OSError, ValueError) as error:
        raise EngineError(f"Nothing answers at {address}: {reason_of(error)}") from error


def _slots(ray: Any, kind: str) -> list[int]:
    """Return the number of processors or GPUs of each live machine that has at least one."""
    counts = [int(node["Resources"].get(kind, 0)) for node in ray.nodes() if node["Alive"]]
    return [count for count in counts if count]


def _wait_for_nodes(ray: Any, cluster: Cluster, say: Callable[[str], None]) -> None:
    until = time.monotonic() + cluster.wait_seconds
    said = -1
    while (joined := len(_slots(ray, "CPU"))) < cluster.nodes:
        if time.monotonic() > until:
            raise EngineError(
                f"{joined} of {cluster.nodes} machines have joined {cluster.address} after {cluster.wait_seconds:g}"
                " seconds: start Ray on the others, or ask for fewer with --nodes."
            )
        if joined != said:
            say(f"{joined} of {cluster.nodes} machines have joined; waiting for the others")
            said = joined
        time.sleep(0.5)


def _in_tasks(
    ray: Any, cluster: Cluster, work: Callable[[Any], Any], items: Iterable[tuple[Any, Any]]
) -> Iterator[tuple[Any, Any]]:
    kind = "GPU" if _slots(ray, "GPU") else "CPU"
    function = ray.put(work)
    task = ray.remote(num_cpus=1, num_gpus=int(kind == "GPU"), max_retries=_RETRIES)(_call)
    seen = time.monotonic()

    def check() -> None:
        nonlocal seen
        if _slots(ray, kind):
            seen = time.monotonic()
        elif time.monotonic() - seen > cluster.wait_seconds:
            raise EngineError(f"No machine of {cluster.address} is left: start some, then repeat the command.")

    try:
        yield from bounded(
            lambda item: task.remote(function, item).future(), items, lambda: max(1, 2 * sum(_slots(ray, kind))), check
        )
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, AnalyticsError):
            raise error.cause from None
        raise EngineError(f"A block failed on another machine: {reason_of(error.cause)}") from error
    except ray.exceptions.RayError as error:
        raise EngineError(f"Ray gave up on a block: {reason_of(error)}") from error


def _call(work: Callable[[Any], Any], item: Any) -> Any:
    return work(item)
