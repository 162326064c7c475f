"""Words by their role, where sentences end, and what questions ask for."""

from __future__ import annotations

import re

COMMON = frozenset({"la", "kaj"})
EMPTY = frozenset({"kiom"})
ONLY_IN_PHRASES: frozenset[str] = frozenset()


def search_word(word: str) -> str:
    return word.removesuffix("j")


ABBREVIATIONS = r"ekz\."
ASKS = re.compile(r"\bkiom\b", re.IGNORECASE)
PART_END = re.compile(r";\s+")
QUESTION = re.compile(r"\bkiom\b", re.IGNORECASE)
ORDER = re.compile("(?!)")
QUESTION_MARK, FULL_STOP = "?", "."
NAMES_IN_RATIO = re.compile("(?!)")


def asks_for_count(text: str) -> bool:
    return re.search(r"Kiom da (?!\w*metroj)", text) is not None


def asks_no_number(question: str, clause: str) -> bool:
    return question.startswith("Kial")
