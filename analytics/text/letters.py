"""Sequences of tokens as strings, which compiled code compares many times faster."""

from __future__ import annotations

from collections.abc import Iterable

_FIRST = 0xE000  # after the surrogates, which a string may not contain


class TokenLetters:
    """Mapping from each distinct token to a letter of its own.

    >>> letters = TokenLetters()
    >>> letters(["+", "N0", "N1"]) == letters(["+", "N0", "N1"]) != letters(["+", "N1", "N0"])
    True
    """

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def __call__(self, tokens: Iterable[str]) -> str:
        """Return the letters of a sequence, one per token."""
        return "".join(self._letters.setdefault(token, chr(_FIRST + len(self._letters))) for token in tokens)
