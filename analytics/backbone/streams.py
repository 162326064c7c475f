"""Several batches at once on a processor, each computed by a thread of its own.

The threads that share one matrix product wait for one another after every product; threads with a batch each do not,
and what is Python of one batch runs at the same time as the products of another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

import torch

_MOST_STREAMS = 4  # more would wait for Python's lock
_ONE_AT_A_TIME = Lock()  # the number of threads belongs to the process

Item = TypeVar("Item")
Result = TypeVar("Result")


@contextmanager
def side_by_side(
    compute: Callable[[Item], Result], items: Sequence[Item], device: torch.device
) -> Iterator[Iterator[Result]]:
    """Compute what is asked of each item; the results come in the order of the items.

    Each stream has its share of the processor's threads. On a GPU, with one thread, and where the process does the same
    elsewhere already, the items are computed one after another. What is left when the context ends is dropped.

    Args:
        compute: is called in other threads, so it enters autocast and inference mode by itself.
        items: what it is called with.
        device: where it computes.
    """
    threads = torch.get_num_threads()
    streams = min(threads, _MOST_STREAMS, len(items)) if device.type == "cpu" else 1
    if streams < 2 or not _ONE_AT_A_TIME.acquire(blocking=False):
        yield map(compute, items)
        return
    pool = ThreadPoolExecutor(streams, "stream", torch.set_num_threads, (threads // streams,))
    try:
        futures = [pool.submit(compute, item) for item in items]
        yield (future.result() for future in futures)
    finally:
        pool.shutdown(cancel_futures=True)
        torch.set_num_threads(threads)
        _ONE_AT_A_TIME.release()
