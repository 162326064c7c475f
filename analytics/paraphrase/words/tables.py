"""What is known of English words: the tables of ``english.toml``, which are data."""

from __future__ import annotations

import tomllib
from functools import cache
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
    """Return the rows of a table whose rows are pairs."""
    return [(first, second) for first, second in rows_of(table)]


def patterns_of(table: str) -> list[list[str]]:
    """Return the rows of a table of regular expressions."""
    rows: list[list[str]] = _tables()[table]
    return rows
