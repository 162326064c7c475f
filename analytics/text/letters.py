"""Sequences of tokens as strings, which compiled code compares many times as fast."""

from __future__ import annotations

from collections.abc import Iterable

_FIRST = 0xE000  # behind the surrogates, which no string may hold


class TokenLetters:
    """A letter for each different token that was met, always the same one.

    >>> letters = TokenLetters()
    >>> letters(["+", "N0", "N1"]) == letters(["+", "N0", "N1"]) != letters(["+", "N1", "N0"])
    True
    """

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def __call__(self, tokens: Iterable[str]) -> str:
        """Return the letters of a sequence, one a token."""
        return "".join(self._letters.setdefault(token, chr(_FIRST + len(self._letters))) for token in tokens)
