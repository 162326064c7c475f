"""Words of a question for comparison: stop words, stems, synonyms, and the tables of ``english.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Set
from functools import cache, lru_cache
from pathlib import Path
from typing import Any


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))


def words_of(table: str) -> list[str]:
    """Return the words of a list."""
    return str(_tables()[table]).split()


def lines_of(table: str) -> list[str]:
    """Return the lines of a table."""
    return str(_tables()[table]).splitlines()


def rows_of(table: str) -> list[list[str]]:
    """Return the rows of a table.

    >>> rows_of("contractions")[0]
    ['do not', "don't"]
    """
    return [[word.replace("_", " ") for word in row.split()] for row in str(_tables()[table]).split("|")]


def pairs_of(table: str) -> list[tuple[str, str]]:
    """Return the rows of a table of pairs."""
    return [(first, second) for first, second in rows_of(table)]


def patterns_of(table: str) -> list[list[str]]:
    """Return the rows of a table of regular expressions."""
    rows: list[list[str]] = _tables()[table]
    return rows


STOP_WORDS = frozenset(words_of("stop_words"))


SYNONYMS = rows_of("synonyms")
"""Rows of interchangeable words."""

_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
_VOWEL = re.compile(r"[aeiouy]")
_PLURALS = (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"))
_IRREGULAR = dict(pair.split(":") for pair in words_of("irregular_forms"))


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return [match[0].lower() for match in _WORD.finditer(text)]


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Strip plural and verb endings for comparison; the result need not be a word.

    >>> stem("carries"), stem("travelled"), stem("children"), stem("boxes"), stem("sharing") == stem("share")
    ('carry', 'travel', 'child', 'box', True)
    """
    word = word.lower().removesuffix("'s").removesuffix("’s")
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4:
        return word
    if word.endswith("ie") and len(word) > 4:
        return word[:-2] + "y"  # "cookie" gets the same stem as "cookies"
    for ending, new in _PLURALS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + new
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        base = word.removesuffix(ending)
        if base != word and len(base) > 2 and _VOWEL.search(base):
            word = base[:-1] if base[-1] == base[-2] and base[-1] not in "sz" else base
            break
    return word.removesuffix("e") if len(word) > 3 else word


@lru_cache(maxsize=1)
def _rows() -> dict[str, str]:
    rows: dict[str, str] = {}
    for row in (*SYNONYMS, *rows_of("compared")):
        stems = [stem(word) for word in row if " " not in word]
        first = next((rows[base] for base in stems if base in rows), stems[0])
        rows |= dict.fromkeys(stems, first)
    return rows


def canonical(word: str) -> str:
    """Return a common stem for interchangeable words.

    >>> canonical("purchased") == canonical("bought"), canonical("kids") == canonical("child")
    (True, True)
    """
    base = stem(word)
    return _rows().get(base, base)


def shared_words(first: str, second: str) -> float:
    """Return the share of words that two texts have in common, in [0, 1]; 1 if neither has any.

    >>> shared_words("Ann bought 3 pens.", "Ann has purchased 3 pens.")
    0.75
    """
    first_words, second_words = ({canonical(word) for word in words(text)} for text in (first, second))
    return shared_share(first_words, second_words)


def shared_share(first: Set[str], second: Set[str]) -> float:
    """Return the share of words that two sets have in common, in [0, 1]; 1 if both are empty."""
    return len(first & second) / len(first | second) if first or second else 1.0


_NO_ADVERBS = frozenset(words_of("no_adverbs"))


def is_adverb(word: str) -> bool:
    """Return whether a lower-case word is an adverb that never changes what is asked (unlike "daily" and "equally").

    >>> is_adverb("slowly"), is_adverb("daily"), is_adverb("family")
    (True, False, False)
    """
    return word.endswith("ly") and word not in _NO_ADVERBS


GENERIC = frozenset(canonical(word) for word in words_of("generic"))
"""Nouns that can replace any other noun, in their `canonical` form."""
