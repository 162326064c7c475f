"""Words by what they say."""

from __future__ import annotations

COMMON = frozenset({"la", "kaj"})
EMPTY = frozenset({"kiom"})
ONLY_IN_PHRASES: frozenset[str] = frozenset()


def search_word(word: str) -> str:
    return word.removesuffix("j")
