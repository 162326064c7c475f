"""Which texts are the same problem: equal apart from notation, or copies that differ only in their numbers.

One data set writes "7 red apples are in the basket . How many ... ?", another "Seven red apples are in the basket. How
many ...?". Both keys ignore how numbers are written (digits, words, ordinals), case, punctuation, accents, spaces and
tokenisation. Everything that separates training data from evaluation data compares by them: exclusion from training,
leak reports, the starters' data and the table of `worker.reproduction.apart`. The fixed parts of `analytics.splits` are
cut by another key, which does not change because stored models and figures depend on it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import AbstractContextManager
from itertools import groupby

from analytics.text.characters import VULGAR_FRACTIONS
from analytics.text.numbers import find_numbers
from analytics.text.remembered import Remembered

_NUMBER = "#"
_BLANK_BEFORE = re.compile(r"\s+(?=[,.;:?!%'’)\]}])")
_BLANK_AFTER = re.compile(r"(?<=[(\[{$])\s+")
_DASH = re.compile(r"\s*[-‐‑‒–—−]+\s*")
_THOUSANDS = re.compile(r"(?<=\d)\s*,\s*(?=\d{3}(?!\d))")
_WORD = re.compile(r"[^\W_]+|[+=<>*^×÷]")
_ORDINALS = {
    word: str(value)
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), start=1
    )
} | {"one": "1", "ones": "1"}  # not among the numbers found in the text, as in "the old ones"
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b", re.IGNORECASE)


def text_key(text: str) -> str:
    """Return a key that is the same for texts with the same words and the same numbers.

    >>> text_key("Seven red apples, 1,250 in 1/2 of the baskets.")
    '7 redapples 1250 in 1/2 ofthebaskets'
    >>> text_key("7 red apples , 1250 in half of the baskets")
    '7 redapples 1250 in 1/2 ofthebaskets'
    """
    return _keys(text)[0]


def story_key(text: str) -> str:
    """Return a key that is the same for texts that differ only in their numbers; adjacent numbers count as one.

    >>> story_key("Tom has 3 pens .") == story_key("Tom has twenty-five pens.")
    True
    """
    return _keys(text)[1]


def every_key_remembered() -> AbstractContextManager[None]:
    """Cache the keys of all texts inside the context, for lists that are compared repeatedly."""
    return _keys.without_bound()


@Remembered
def _keys(text: str) -> tuple[str, ...]:
    tokens = _tokens(text)
    story = groupby(_NUMBER if token[0].isdigit() else token for token in tokens)
    return " ".join(tokens), " ".join(token for token, _ in story)


def _tokens(text: str) -> list[str]:
    """Return numbers as values, and between them the letters of the words, joined."""
    plain = _untokenised(text)
    tokens: list[str] = []
    end = 0
    for mention in find_numbers(plain):
        tokens += _words(plain[end : mention.start])
        tokens.append(str(mention.value))
        ordinal = _ORDINAL.match(plain, mention.end)
        end = ordinal.end() if ordinal else mention.end
    tokens += _words(plain[end:])
    return tokens


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, with adjacent words joined and ordinals as numbers."""
    words = [_ORDINALS.get(word, word) for word in _WORD.findall(text.casefold())]
    for is_number, row in groupby(words, key=str.isdigit):
        if is_number:
            yield from row
        else:
            yield "".join(row)


def _untokenised(text: str) -> str:
    """Return a text without accents and without the spaces that a tokenizer puts around punctuation."""
    if not text.isascii():
        text = "".join(
            character if character in VULGAR_FRACTIONS else unicodedata.normalize("NFKD", character)
            for character in text
        )
    text = _BLANK_AFTER.sub("", _BLANK_BEFORE.sub("", text))
    return _THOUSANDS.sub(",", _DASH.sub("-", text))
