"""What was typed into the search box: words, a whole question, or a formula."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from django.db import connection

from analytics.text.formulas import segment_text
from analytics.text.tokens import detect_language, search_tokens
from questionbank.selectors.spelling import Vocabulary

__all__ = ["ParsedQuery", "QuerySort", "parse_query", "quoted"]

QuerySort = Literal["browse", "words", "question", "formula"]

_QUESTION_WORDS = 6  # so many words are a sentence, of which the order says something too
_CORRECTED_WORDS = 12  # more words are pasted rather than typed, and misspelt by their author
_LONGEST = 4000  # characters; a whole question fits

_PROSE_WORD = re.compile(r"[^\W\d_]{2,}")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"(?<![\\A-Za-z])[A-Za-z]+(?:['’][A-Za-z]+)?")
_OPERATOR = re.compile(r"[=^_<>≤≥≠+*/×÷√±]|\\[A-Za-z]+|(?<=[\w)])\s*[-−]\s*(?=[\w(\\])")
_FUNCTION = re.compile(r"(?:sin|cos|tan|cot|sec|csc|log|ln|lg|exp|lim|sqrt|max|min|mod|dx|dy|dt)(?![a-z])")
_MATHEMATICAL = re.compile(r"[\d=^_<>≤≥≠+*/×÷√±|!%(){}\[\].,;:\\−-]")


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query as it will be searched for.

    Attributes:
        sort: ``"browse"`` for nothing typed.
        text: what was typed.
        searched: the same with misspelt words corrected and bare formulas between dollars.
        corrected: what was typed with misspelt words corrected, empty where none was.
        tokens: what full-text search looks for, each once.
        language: of the text.
    """

    sort: QuerySort
    text: str
    searched: str = ""
    corrected: str = ""
    tokens: tuple[str, ...] = ()
    language: str = ""


def parse_query(text: str, vocabulary: Vocabulary) -> ParsedQuery:
    """Read what was typed; words that the bank does not know are corrected by those that it does."""
    text = text.replace("\x00", " ").strip()[:_LONGEST]
    if not text:
        return ParsedQuery("browse", "")
    marked = _mark_bare_formulas(text)
    words = _words_of_prose(marked)
    corrected = _corrected(text, vocabulary) if 0 < words <= _CORRECTED_WORDS else ""
    searched = _mark_bare_formulas(corrected) if corrected else marked
    language = detect_language(text)
    return ParsedQuery(
        sort="question" if words >= _QUESTION_WORDS else "words" if words else "formula",
        text=text,
        searched=searched,
        corrected=corrected,
        tokens=tuple(dict.fromkeys(search_tokens(searched, language))),
        language=language,
    )


def quoted(token: str) -> str:
    """A token as `to_tsquery` reads it."""
    return "'" + token.replace("\\", "\\\\").replace("'", "''") + "'"


def _words_of_prose(marked: str) -> int:
    """Number of words outside formulas; two Chinese characters are about one."""
    prose = " ".join(segment.source for segment in segment_text(marked) if segment.kind == "text")
    return len(_PROSE_WORD.findall(_CHINESE.sub(" ", prose))) + (len(_CHINESE.findall(prose)) + 1) // 2


def _mark_bare_formulas(text: str) -> str:
    """Put dollars around formulas that were typed without, so that they are read as they are in the bank.

    >>> _mark_bare_formulas("solve x^2 + 5x + 6 = 0 for x")
    'solve $x^2 + 5x + 6 = 0$ for x'
    """
    if any(segment.kind == "formula" for segment in segment_text(text)):
        return text
    pieces = re.split(r"(\s+)", text)
    marked: list[str] = []
    run: list[str] = []
    for piece in [*pieces, None]:
        if piece is not None and (not piece.strip() or _is_mathematical(piece)) and (run or piece.strip()):
            run.append(piece)
            continue
        marked.append(_as_formula("".join(run)))
        run = []
        marked.append(piece or "")
    return "".join(marked)


def _is_mathematical(piece: str) -> bool:
    """Whether a stretch without blanks could stand in a formula: no word in it but functions' names."""
    if _CHINESE.search(piece):
        return False
    letters = re.sub(r"\\[A-Za-z]+", "", piece)
    longest = max((len(word) for word in re.findall(r"[A-Za-z]+", _FUNCTION.sub("", letters))), default=0)
    if longest > 2:
        return False
    return longest < 2 or _MATHEMATICAL.search(piece) is not None


def _as_formula(run: str) -> str:
    body = run.strip()
    if not body or not _OPERATOR.search(body) or not re.search(r"[\w\\]", body):
        return run
    trailing = re.search(r"[.,;:?!]*$", body)
    end = len(body) - len(trailing[0]) if trailing else len(body)
    start = run.index(body)
    return f"{run[:start]}${body[:end]}${body[end:]}{run[start + len(body) :]}"


def _corrected(text: str, vocabulary: Vocabulary) -> str:
    """The text with misspelt words replaced, or nothing where none is."""
    tokens = {match[0]: _token(match[0]) for match in _LATIN_WORD.finditer(text)}
    candidates = {word: vocabulary.corrections(token) for word, token in tokens.items()}
    known = {token for word, token in tokens.items() if not candidates[word] and vocabulary.count(token)}
    meant = {
        word: better
        for word, choice in candidates.items()
        if choice and (better := _likeliest(tokens[word], choice, known))
    }
    if not meant:
        return ""
    return _LATIN_WORD.sub(lambda match: meant.get(match[0], match[0]), text)


def _token(word: str) -> str:
    return next(iter(search_tokens(word)), "")


_STANDING_TOGETHER = """
    SELECT token FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS asked (token, query, place)
    WHERE EXISTS (
        SELECT FROM questionbank_question WHERE search_vector @@ to_tsquery('simple', asked.query)
    )
    ORDER BY place
"""


def _likeliest(token: str, candidates: Sequence[str], known: Collection[str]) -> str:
    """The first candidate that stands in some question together with the query's other words, else the first.

    Nothing where the token itself stands in a question: a word newer than the vocabulary is right too.
    """
    together = [" & ".join(quoted(one) for one in (candidate, *known)) for candidate in candidates]
    with connection.cursor() as cursor:
        cursor.execute(_STANDING_TOGETHER, [[token, *candidates], [quoted(token), *together]])
        found = [row[0] for row in cursor.fetchall()]
    if token in found:
        return ""
    return found[0] if found else candidates[0]
