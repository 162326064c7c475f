"""What was found in a text, kept for the next reader: findings, scorer and splits read the same texts in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Generic, TypeVar

_LONGEST = 2_000  # characters of a text that is kept
_MOST = 1_024  # texts

Found = TypeVar("Found")


class Remembered(Generic[Found]):
    """A function of a text that finds things in it; those of the last short texts are not looked for again.

    >>> find = Remembered(lambda text: tuple(text.split()))
    >>> find("two words")
    ['two', 'words']
    """

    def __init__(self, find: Callable[[str], tuple[Found, ...]]) -> None:
        self._find = find
        self._kept = lru_cache(maxsize=_MOST)(find)
        _ALL.append(self)

    def __call__(self, text: str) -> list[Found]:
        """Return a list of its own for every caller."""
        return list(self._kept(text) if len(text) <= _LONGEST else self._find(text))

    @contextmanager
    def without_bound(self) -> Iterator[None]:
        """Forget no short text that is met while the context lasts, and all of them at its end."""
        bounded, self._kept = self._kept, lru_cache(maxsize=None)(self._find)
        try:
            yield
        finally:
            self._kept = bounded

    def forget(self) -> None:
        """Look for everything again."""
        self._kept.cache_clear()


_ALL: list[Remembered[Any]] = []


def forget_everything() -> None:
    """Make every finder look again, as for texts that nobody has read yet."""
    for finder in _ALL:
        finder.forget()
