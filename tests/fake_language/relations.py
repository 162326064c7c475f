"""Relations between numbers: no clause is known, so stories of this language are left alone."""

from __future__ import annotations

import re

QUESTIONS: tuple[tuple[str, str], ...] = ()
STATEMENTS: tuple[tuple[str, str], ...] = ()
TIMES_OF_AGE: tuple[tuple[int, re.Pattern[str]], ...] = ()
UNKNOWN_TIME = TWO_TIMES = OLD = MAY_BE_LEFT = ASKED_BEFORE = re.compile("(?!)")
MATTERS = re.compile(".*#")
UNIT = "unuoj"


def tidied(clause: str) -> str:
    return clause


def splits(sentence: str) -> list[tuple[str, str]]:
    return []


def content(words: str) -> frozenset[str]:
    return frozenset(words.split())
