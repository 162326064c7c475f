"""A limit on the requests per minute to a language model. Torch-free."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from threading import Lock

_MINUTE = 60.0


class RateLimit:
    """Lets at most `per_minute` requests begin in any minute; later ones wait. Thread-safe.

    Args:
        per_minute: 0 for no limit.
        clock: monotonic clock in seconds.
        wait: sleep function.
    """

    def __init__(
        self,
        per_minute: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.per_minute, self._clock, self._wait = per_minute, clock, wait
        self._begun: deque[float] = deque(maxlen=per_minute or 1)
        self._lock = Lock()

    def acquire(self) -> None:
        """Block until another request may begin."""
        if not self.per_minute:
            return
        with self._lock:  # a waiting caller holds the lock, so that the others wait in order
            if len(self._begun) == self.per_minute:
                left = self._begun[0] + _MINUTE - self._clock()
                if left > 0:
                    self._wait(left)
            self._begun.append(self._clock())
