"""Values that a process keeps until what they were read from has changed."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """A value that is read anew once its signature is another.

    Args:
        signature: tells two states of the database apart; should a change come in between, the next call sees it.
        check_after: returns the seconds in which the signature is not asked for again.
    """

    def __init__(
        self,
        signature: Callable[[], object],
        read: Callable[[], Value],
        check_after: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._signature, self._read, self._check_after = signature, read, check_after
        self._lock = threading.Lock()
        self._kept: tuple[object, Value] | None = None
        self._checked_at = -math.inf

    def __call__(self) -> Value:
        """Return the value; of several threads one reads it."""
        kept = self._kept
        if kept is not None and time.monotonic() - self._checked_at < self._check_after():
            return kept[1]
        signature = self._signature()
        if kept is not None and kept[0] == signature:
            self._checked_at = time.monotonic()
            return kept[1]
        with self._lock:
            if self._kept is None or self._kept[0] != signature:
                self._kept = (signature, self._read())
            self._checked_at = time.monotonic()
            return self._kept[1]
