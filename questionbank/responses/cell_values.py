"""Cells of a table of responses: marks, times, and what identifies a pupil."""

from __future__ import annotations

import re
import unicodedata

UNANSWERED = frozenset(("", "-", "–", "—", "n/a", "not yet answered", "no answer"))
_UNGRADED = frozenset(("requires grading", "not yet graded", "bewertung notwendig"))
UNFINISHED = frozenset(("in progress", "overdue", "never submitted", "in bearbeitung", "en curso", "en cours"))
_RIGHT = frozenset(("correct", "right", "richtig", "✓", "✔", "correcto", "juste"))
_WRONG = frozenset(("incorrect", "wrong", "falsch", "✗", "✘", "incorrecto", "faux"))
_TRUE_FALSE = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)?")
_PER_CENT = re.compile(r"\d+(?:[.,]\d+)?\s*%")
_MONTHS = "jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]"
_DATE = re.compile(
    rf"\d{{4}}-\d\d?-\d\d?(?:[ T].*)?|\d\d?[./]\d\d?[./](?:\d{{2,4}})?|\d\d?[-./ ]\s?(?:{_MONTHS})\w*\.?(?:[-/ ]\d+)?"
    rf"|(?:{_MONTHS})\w*\.?[-/ ]\d+",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)")


def parse_mark(text: str) -> float:
    """Return a mark with a decimal point or comma.

    >>> parse_mark("0,5"), parse_mark("2.00")
    (0.5, 2.0)

    Raises:
        ValueError: it is no mark; the message says why.
    """
    plain = text.strip()
    if _NUMBER.fullmatch(plain):
        return float(plain.replace(",", ".").replace("−", "-"))
    if _DATE.fullmatch(plain):
        raise ValueError(f"“{plain}” is a date; a spreadsheet program makes dates of marks such as 1-2")
    if _PER_CENT.fullmatch(plain):
        raise ValueError(f"“{plain}” is a per cent; write the mark")
    if plain.casefold() in _UNGRADED:
        raise ValueError("the answer has not been graded yet")
    raise ValueError(f"“{plain[:40]}” is not a mark")


def parse_seconds(text: str) -> float | None:
    """Return a time in seconds, given as a number or as minutes:seconds; None if it is neither.

    >>> parse_seconds("12,5"), parse_seconds("1:02:03"), parse_seconds("soon")
    (12.5, 3723.0, None)
    """
    if match := _CLOCK.fullmatch(text.strip()):
        hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in match.groups())
        return 3600 * hours + 60 * minutes + seconds
    return float(text.strip().replace(",", ".")) if re.fullmatch(r"\s*\d+(?:[.,]\d+)?\s*", text) else None


def person_key(text: str) -> str:
    """Return a pupil's identification without differences of case, spacing and Unicode form.

    >>> person_key("  Ada   LOVELACE")
    'ada lovelace'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def number_of(text: str) -> float:
    """Return a number; 0 for anything else."""
    return float(text.replace(",", ".").replace("−", "-")) if _NUMBER.fullmatch(text) else 0.0


def looks_like_mark(text: str) -> bool:
    """Return whether a cell is a mark, a per cent, a date that may have been a mark, or a word such as "correct"."""
    return any(pattern.fullmatch(text) for pattern in (_NUMBER, _PER_CENT, _DATE)) or text.casefold() in _RIGHT | _WRONG


def parse_verdict(text: str) -> float:
    """Return a mark that may be a word.

    >>> parse_verdict("Correct"), parse_verdict("0,5")
    (1.0, 0.5)

    Raises:
        ValueError: as for `parse_mark`.
    """
    word = text.casefold()
    return float(word in _RIGHT) if word in _RIGHT | _WRONG else parse_mark(text)


def parse_score(text: str) -> float:
    """Return the value of a column of scores, where "true" means a right answer.

    Raises:
        ValueError: as for `parse_mark`.
    """
    word = text.casefold()
    return _TRUE_FALSE[word] if word in _TRUE_FALSE else parse_verdict(text)
