"""Replacing words and numbers in a text while keeping the articles correct, and first names to insert."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ARTICLE = re.compile(r"\b([Aa])n? $")
_SPOKEN_WITH_A_VOWEL = ("8", "11 ", "11-", "18 ", "18-", "hour", "honest", "heir")
_SPOKEN_WITH_A_CONSONANT = ("uni", "use", "one", "eu")


def article(noun: str) -> str:
    """Return the noun with ``a`` or ``an``."""
    vowel_sound = noun[0].lower() in "aeiou" and not noun.lower().startswith(_SPOKEN_WITH_A_CONSONANT)
    return f"{'an' if vowel_sound or noun.startswith(_SPOKEN_WITH_A_VOWEL) else 'a'} {noun}"


def replaced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return the text with spans (start, end, new) replaced, and "a" or "an" before each adjusted.

    >>> replaced("She ate an apple.", [(11, 16, "pear")])
    'She ate a pear.'
    """
    for start, end, new in sorted(edits, reverse=True):
        before, after = text[:start], new + text[end:]
        if found := _ARTICLE.search(before):
            before, after = before[: found.start()], found[1] + article(after)[1:]
        text = before + after
    return text


WOMEN = (
    "Aaliyah Amara Ana Beatriz Chloe Dilnoza Elif Emma Fatima Freya Hana Ingrid Isla Jasmine Keiko "
    "Leila Lucia Mei Miriam Nadia Ngozi Noor Olivia Priya Rosa Sakura Sofia Tala Wanjiru Yael Zainab "
    "Zofia"
).split()
MEN = (
    "Ahmed Arjun Ben Bilal Carlo Daniel Diego Emeka Farid Finn George Hiroshi Hugo Ibrahim Jamal "
    "Jonah Kofi Liam Mateo Minh Nikolai Oliver Omar Pablo Rafael Ravi Samuel Tariq Theo Victor Wei "
    "Yusuf"
).split()
