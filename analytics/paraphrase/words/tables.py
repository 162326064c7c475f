"""What is known of English words: the tables of ``english.toml``, which are data."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path


@cache
def _tables() -> dict[str, str]:
    return tomllib.loads(Path(__file__).with_name("english.toml").read_text(encoding="utf-8"))


def words_of(table: str) -> list[str]:
    """Return the words of a list."""
    return _tables()[table].split()


def lines_of(table: str) -> list[str]:
    """Return the lines of a table."""
    return _tables()[table].splitlines()


def rows_of(table: str) -> list[list[str]]:
    """Return the rows of a table.

    >>> rows_of("contractions")[0]
    ['do not', "don't"]
    """
    return [[word.replace("_", " ") for word in row.split()] for row in _tables()[table].split("|")]


def pairs_of(table: str) -> list[tuple[str, str]]:
    """Return the rows of a table whose rows are pairs."""
    return [(first, second) for first, second in rows_of(table)]
