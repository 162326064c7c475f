"""One training at a time on a GPU: a turn named after the GPU.

Two processes that train on one card would run out of its memory. Every machine's cards have their own turn,
so machines do not wait for one another.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import torch

from questionbank.services.blocks import turn
from worker.reporting import RunReporter

WAIT_SECONDS = 2.0


@contextmanager
def gpu_turn(reporter: RunReporter, device: torch.device, *, processes: int = 1) -> Iterator[None]:
    """Hold the device alone while the block works; on a CPU there is nothing to hold.

    When the process dies, another one has its turn after `questionbank.services.blocks.LEASE`.

    Raises:
        Cancelled: the run was stopped while it waited.
    """

    def wait() -> None:
        reporter.check()
        reporter.progress(0, 0, "Waiting for another training that uses the GPU")
        time.sleep(WAIT_SECONDS)

    with gpus_held(device, processes=processes, wait=wait):
        yield


@contextmanager
def gpus_held(device: torch.device, *, processes: int, wait: Callable[[], None]) -> Iterator[None]:
    """Hold a GPU, or one for each process, in the order of their numbers.

    Args:
        wait: called again and again while somebody else has one; may raise.
    """
    cards = [device] if processes == 1 else [torch.device("cuda", number) for number in range(processes)]
    with ExitStack() as turns:
        for card in cards if device.type == "cuda" else ():
            turns.enter_context(turn(gpu_name(card), wait=wait))
        yield


def gpu_name(device: torch.device) -> str:
    """Return what tells a card from all others: its UUID, or machine and number where the driver does not say."""
    index = device.index if device.index is not None else torch.cuda.current_device()
    unique = getattr(torch.cuda.get_device_properties(index), "uuid", None)
    return f"gpu/{unique or f'{socket.gethostname()}/{index}'}"
