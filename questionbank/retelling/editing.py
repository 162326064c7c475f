"""Replacing words and numbers of a text so that the articles before them still fit."""

from __future__ import annotations

import re
from collections.abc import Iterable

from questionbank.demo.wording import article

__all__ = ["replaced"]

_ARTICLE = re.compile(r"\b([Aa])n? $")


def replaced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with stretches (start, end, new) replaced, and with "a" or "an" before each as it needs.

    >>> replaced("She ate an apple.", [(11, 16, "pear")])
    'She ate a pear.'
    """
    for start, end, new in sorted(edits, reverse=True):
        before, after = text[:start], new + text[end:]
        if found := _ARTICLE.search(before):
            before, after = before[: found.start()], found[1] + article(after)[1:]
        text = before + after
    return text
