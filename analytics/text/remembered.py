"""Cache of what was found in a text: findings, scorer and splits read the same texts in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar

_LONGEST = 2_000  # characters of a cached text
_MOST = 1_024  # texts

Found = TypeVar("Found")


class Remembered(Generic[Found]):
    """Cached function that finds things in a text; results for the most recent short texts are reused.

    >>> find = Remembered(lambda text: tuple(text.split()))
    >>> find("two words")
    ['two', 'words']
    """

    def __init__(self, find: Callable[[str], tuple[Found, ...]]) -> None:
        self._find = find
        self._kept = lru_cache(maxsize=_MOST)(find)
        _ALL.append(self)

    def __call__(self, text: str) -> list[Found]:
        """Return a new list for every caller."""
        return list(self._kept(text) if len(text) <= _LONGEST else self._find(text))

    @contextmanager
    def without_bound(self) -> Iterator[None]:
        """Cache every short text inside the context, without limit, and drop those results at its end."""
        bounded, self._kept = self._kept, lru_cache(maxsize=None)(self._find)
        try:
            yield
        finally:
            self._kept = bounded

    def forget(self) -> None:
        """Clear the cache."""
        self._kept.cache_clear()


_ALL: list[Remembered[Any]] = []


def forget_everything() -> None:
    """Clear the caches of all finders."""
    for finder in _ALL:
        finder.forget()
