"""In-process caches that are never stale, and shared by all viewers."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from questionbank.models.visibility import viewing

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class VersionedCache(Generic[Value]):
    """A cached value that is read again when its signature changes; it is read as the system, not as the first viewer.

    Args:
        signature: returns a value that changes whenever the database does. A change made during a read is noticed by
            the next call.
        check_after: returns the number of seconds for which the signature is not checked again.
    """

    def __init__(
        self, signature: Callable[[], object], read: Callable[[], Value], check_after: Callable[[], float] = lambda: 0.0
    ) -> None:
        self._signature, self._read, self._check_after = signature, read, check_after
        self._lock = threading.Lock()
        self._kept: tuple[object, Value] | None = None
        self._checked_at = -math.inf

    def __call__(self) -> Value:
        """Return the value; if several threads call at once, only one of them reads it."""
        kept = self._kept
        if kept is not None and time.monotonic() - self._checked_at < self._check_after():
            return kept[1]
        signature = self._signature()
        if kept is not None and kept[0] == signature:
            self._checked_at = time.monotonic()
            return kept[1]
        with self._lock:
            if self._kept is None or self._kept[0] != signature:
                with viewing(None):
                    self._kept = (signature, self._read())
            self._checked_at = time.monotonic()
            return self._kept[1]


class KeyedCache(Generic[Key, Value]):
    """An LRU cache whose keys name everything that the values depend on.

    Args:
        most: maximum number of values; the least recently used are evicted first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def __call__(self, keys: Iterable[Key], find: Callable[[list[Key]], Mapping[Key, Value]]) -> dict[Key, Value]:
        """Return the values of some keys, from the cache or from `find`.

        Args:
            find: returns the values that are not cached. Keys that it leaves out are looked up again next time.
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
