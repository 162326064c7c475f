"""Caches in a process's memory, which are never out of date."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class VersionedCache(Generic[Value]):
    """A value that is read again when its signature changes.

    Args:
        signature: differs between two states of the database. The next call sees a change that comes while it is read.
        check_after: returns the seconds for which the signature is not asked for again.
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
        """Return the value; if several threads ask, one of them reads it."""
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


class KeyedCache(Generic[Key, Value]):
    """Values under keys that name everything they depend on.

    Args:
        most: number of values kept; the least recently used go first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def __call__(
        self, keys: Iterable[Key], find: Callable[[list[Key]], Mapping[Key, Value]]
    ) -> dict[Key, Value]:
        """Return the values of some keys.

        Args:
            find: returns the values of those that are not kept. What it leaves out is asked for again next time.
        """
        wanted = list(dict.fromkeys(keys))
        with self._lock:
            values = {key: self._kept[key] for key in wanted if key in self._kept}
            for key in values:
                self._kept.move_to_end(key)
        if missing := [key for key in wanted if key not in values]:
            found = find(missing)
            with self._lock:
                self._kept.update(found)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            values |= found
        return values
