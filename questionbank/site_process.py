"""Settings of gunicorn: what a process of the site does when it starts.

The site is loaded once, before its processes are forked, so that they share its memory. Each process loads models
itself: their threads do not survive a fork.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Any


def when_ready(_server: Any) -> None:
    """Freeze loaded objects, so that the garbage collector does not write to shared memory pages and cause copies."""
    gc.collect()
    gc.freeze()


def post_worker_init(_worker: Any) -> None:
    """Load models in the background."""
    from questionbank.operations.warm_up import warm_up_beside

    warm_up_beside()


def worker_exit(_server: Any, _worker: Any) -> None:
    """Exit at once when a process is told to end.

    The threads of ONNX Runtime and V8 may crash during Python's shutdown, and gunicorn would report SIGSEGV.
    """
    leaving = sys.exc_info()[1]
    if isinstance(leaving, SystemExit) and not leaving.code:
        os._exit(0)
