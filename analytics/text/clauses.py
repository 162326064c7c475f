"""Clauses and sentences of a question.

Texts are split at punctuation, never inside a formula, a number or an abbreviation, and nothing is lost: joining
the pieces gives back the text. Paraphrase operators and the reordering of problems work on these pieces.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from analytics.language.contract import Language
from analytics.languages import languages
from analytics.text.formulas import has_formula_marks, segment_text
from analytics.text.remembered import Remembered


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a question, including the spaces after it.

    Attributes:
        start: offset in the text; ``text[start:end]`` of the whole is this clause's `text`.
        is_question: whether it asks for something ("how many", "find", "多少", a question mark).
    """

    text: str
    start: int
    end: int
    is_question: bool


_SENTENCE_END = re.compile(r"""[.?!。？！]+["'”’」』)）]*|\n+""")
_CLAUSE_END = re.compile(r"""[.?!。？！]+["'”’」』)）]*|[,;:，；：]+|\n+""")
_SPACE = re.compile(r"\s*")
_LONGEST_ABBREVIATION = 12
_UNIT = re.compile(r"\d\s?[A-Za-z]{1,3}\.$")  # "It is 20 m. Find": a unit at the end of a sentence
_NO_BLANK = re.compile(r"[a-z0-9%)][a-z0-9%)]\.[A-Z][a-z ]$")  # "bought.If", as machine translation writes
_MUST_CONTINUE = re.compile(r"[a-z0-9]")
_FORMULA_ENDS_SENTENCE = re.compile(r"[.?!。？！]\s*$")
_QUESTION_MARK = re.compile(r"""[?？]["'”’」』)）\s]*$""")


def split_clauses(text: str) -> list[Clause]:
    """Split a text at commas, semicolons, colons and sentence ends.

    >>> [c.text for c in split_clauses("Tom has 1,000 pens, Ann has 2.5 times as many. How many has Ann?")]
    ['Tom has 1,000 pens, ', 'Ann has 2.5 times as many. ', 'How many has Ann?']
    """
    return _split(text, _CLAUSE_END)


def split_sentences(text: str) -> list[Clause]:
    """Split a text at sentence ends and line breaks.

    >>> [c.text for c in split_sentences("Mr. Li buys 3 books.  小明有5本书。一共几本？")]
    ['Mr. Li buys 3 books.  ', '小明有5本书。', '一共几本？']
    """
    return _sentences(text)


@Remembered
def _sentences(text: str) -> tuple[Clause, ...]:
    return tuple(_split(text, _SENTENCE_END))


def _split(text: str, boundary: re.Pattern[str]) -> list[Clause]:
    segments = segment_text(text) if has_formula_marks(text) else []
    formulas = [segment for segment in segments if segment.kind == "formula"]
    starts = [formula.start for formula in formulas]
    cuts = [formula.end for formula in formulas if _FORMULA_ENDS_SENTENCE.search(formula.body)]
    for match in boundary.finditer(text):
        index = bisect_right(starts, match.start()) - 1
        inside = index >= 0 and match.start() < formulas[index].end
        if not inside and _is_boundary(text, match):
            cuts.append(match.end())
    clauses: list[Clause] = []
    start = 0
    for cut in sorted(cuts):
        space = _SPACE.match(text, cut)
        end = space.end() if space else cut
        if end > start and text[start:end].strip():
            clauses.append(_clause(text, start, end))
            start = end
    if start < len(text):
        if clauses and not text[start:].strip():
            last = clauses.pop()
            start = last.start
        clauses.append(_clause(text, start, len(text)))
    return clauses


def _clause(text: str, start: int, end: int) -> Clause:
    piece = text[start:end]
    return Clause(piece, start, end, _asks(piece))


@lru_cache(maxsize=8)
def _abbreviation(languages: tuple[Language, ...]) -> re.Pattern[str]:
    names = "|".join(language.words.ABBREVIATIONS for language in languages)
    return re.compile(rf"(?:^|[\s(（\"'“])(?:{names})$", re.IGNORECASE)


def _asks(piece: str) -> bool:
    return _QUESTION_MARK.search(piece) is not None or any(
        language.words.ASKS.search(piece) for language in languages()
    )


def _is_boundary(text: str, match: re.Match[str]) -> bool:
    """Return whether a punctuation mark ends a clause or sentence here."""
    mark = match[0][0]
    if mark in "。？！；，：\n?!;":
        return True
    before = text[match.start() - 1] if match.start() else ""
    after = text[match.end()] if match.end() < len(text) else ""
    if mark in ",:":
        return not (before.isdigit() and after.isdigit())
    if after and not after.isspace() and after.isascii():  # "2.5", "e.g.", "www.x.org"
        return _NO_BLANK.search(text[max(match.start() - 2, 0) : match.end() + 2]) is not None
    if match[0].startswith(".."):
        return not _MUST_CONTINUE.match(text[match.end() : match.end() + 2].lstrip())
    before = text[max(match.end() - _LONGEST_ABBREVIATION, 0) : match.end()]
    return (
        not after
        or not _abbreviation(languages()).search(before)
        or (_UNIT.search(before) is not None and text[match.end() :].lstrip()[:1].isupper())
    )
