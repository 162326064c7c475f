"""Settings of gunicorn: what a process of the site does when it begins.

The site is loaded once, before its processes are forked, so that they share its memory. Models are loaded by each
process: their threads do not survive a fork.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Any


def when_ready(_server: Any) -> None:
    """Keep the garbage collector from writing to what is loaded: a page of memory that is written to is copied."""
    gc.collect()
    gc.freeze()


def post_worker_init(_worker: Any) -> None:
    """Load models in the background."""
    from questionbank.operations.warm_up import warm_up_beside

    warm_up_beside()


def worker_exit(_server: Any, _worker: Any) -> None:
    """End a process that was asked to end at once.

    The threads of ONNX Runtime and V8 may crash while Python takes itself apart, and gunicorn would report SIGSEGV.
    """
    leaving = sys.exc_info()[1]
    if isinstance(leaving, SystemExit) and not leaving.code:
        os._exit(0)
