"""One training at a time on a GPU: a turn named after the GPU.

Two processes that train on one card would run out of its memory. Every machine's cards have their own turn,
so machines do not wait for one another.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import torch

from questionbank.services.blocks import turn
from worker.reporting import RunReporter

WAIT_SECONDS = 2.0


@contextmanager
def gpu_turn(reporter: RunReporter, device: torch.device) -> Iterator[None]:
    """Hold the device alone while the block works; on a CPU there is nothing to hold.

    When the process dies, another one has its turn after `questionbank.services.blocks.LEASE`.

    Raises:
        Cancelled: the run was stopped while it waited.
    """

    def wait() -> None:
        reporter.check()
        reporter.progress(0, 0, "Waiting for another training that uses the GPU")
        time.sleep(WAIT_SECONDS)

    with turn(gpu_name(device), wait=wait) if device.type == "cuda" else nullcontext():
        yield


def gpu_name(device: torch.device) -> str:
    """Return what tells a card from all others: its UUID, or machine and number where the driver does not say."""
    index = device.index if device.index is not None else torch.cuda.current_device()
    unique = getattr(torch.cuda.get_device_properties(index), "uuid", None)
    return f"gpu/{unique or f'{socket.gethostname()}/{index}'}"
