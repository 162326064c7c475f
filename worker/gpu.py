"""One training at a time on a GPU: an advisory lock of the database, named after the GPU.

Two processes that train on one card would run out of its memory. Every machine's cards have their own lock,
so machines do not wait for one another.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import torch
from django.db import Error as DatabaseError
from django.db import connection

from worker.reporting import RunReporter

WAIT_SECONDS = 2.0


@contextmanager
def gpu_turn(reporter: RunReporter, device: torch.device) -> Iterator[None]:
    """Hold the device alone while the block works; on a CPU there is nothing to hold.

    The lock belongs to the connection, so the database lets go of it when the process dies.

    Raises:
        Cancelled: the run was stopped while it waited.
    """
    if device.type != "cuda":
        yield
        return
    name = gpu_name(device)
    while not _advisory("pg_try_advisory_lock", name):
        reporter.check()
        reporter.progress(0, 0, "Waiting for another training that uses the GPU")
        time.sleep(WAIT_SECONDS)
    try:
        yield
    finally:
        with suppress(DatabaseError):  # a lost connection has lost the lock too
            _advisory("pg_advisory_unlock", name)


def gpu_name(device: torch.device) -> str:
    """Return what tells a card from all others: its UUID, or machine and number where the driver does not say."""
    index = device.index if device.index is not None else torch.cuda.current_device()
    unique = getattr(torch.cuda.get_device_properties(index), "uuid", None)
    return f"gpu/{unique or f'{socket.gethostname()}/{index}'}"


def _advisory(function: str, name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(hashtext(%s))", [f"kindred/{name}"])
        return bool(cursor.fetchone()[0])
