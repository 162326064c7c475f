"""Processes that end with the one that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int = 0) -> None:
    """Have the kernel kill this process as soon as its parent has ended, also by kill -9.

    Args:
        parent: its process id, where it is known; otherwise a parent that is process 1 is taken for one that has ended.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    has_ended = os.getppid() != parent if parent else os.getppid() == 1
    if has_ended:  # it was killed before we asked
        sys.exit(1)
