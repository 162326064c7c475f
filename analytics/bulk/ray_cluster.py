"""The runner for a Ray cluster: one task per block, retried on another machine if its machine dies.

Decision 124. All our code is in the functions that the tasks call; Ray schedules, retries and counts them.
"""

from __future__ import annotations

import logging
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from analytics.bulk.files import reason_of
from analytics.bulk.run import Runner, bounded
from analytics.errors import AnalyticsError, EngineError

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
            raise EngineError(
                f"No machine of {cluster.address} is left: start some again, then give the command again."
            )

    try:
        yield from bounded(
            lambda item: task.remote(function, item).future(), items, lambda: max(1, 2 * sum(_slots(ray, kind))), check
        )
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, AnalyticsError):
            raise error.cause from None
        raise EngineError(f"A block failed on another machine: {reason_of(error.cause)}") from error
    except ray.exceptions.RayError as error:
        raise EngineError(f"Ray gave a block up: {reason_of(error)}") from error


def _call(work: Callable[[Any], Any], item: Any) -> Any:
    return work(item)
