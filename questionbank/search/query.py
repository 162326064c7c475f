"""Parsing the text typed into the search box: words, a whole question, or a formula.

The bank's own words, and how rare each is, tell which word a misspelt one was meant to be.
"""

from __future__ import annotations

import gzip
import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from django.db import connection
from django.db.models import Count, Max, Sum
from rapidfuzz import process
from rapidfuzz.distance import OSA

from analytics.languages import CHINESE, script_language
from analytics.text.formulas import segment_text, text_formulas
from analytics.text.plain_maths import mark_plain_maths
from analytics.text.tokens import search_tokens
from questionbank.core.cached import VersionedCache
from questionbank.models import LongQuery, VocabularyWord
from questionbank.models.visibility import seen_sql, viewer_audiences

CHECK_AFTER = 30.0  # seconds after which a process checks whether the vocabulary has changed
SHORTEST_CORRECTED = 4  # letters; shorter words are close to too many others, and often abbreviations
_LONGEST_CORRECTED = 40
_TWO_MISTAKES_FROM = 6  # letters; shorter words are only corrected by a single edit


@lru_cache(maxsize=1)
def _english() -> dict[str, int]:
    """Return the 160,000 words of pyspellchecker (https://github.com/barrust/pyspellchecker, MIT)."""
    packed = files("spellchecker").joinpath("resources/en.json.gz").read_bytes()
    frequencies: dict[str, int] = json.loads(gzip.decompress(packed))
    return frequencies


def is_english(word: str) -> bool:
    """Return whether this is a correctly spelt word of ordinary English, in any inflected form."""
    return word.lower() in _english()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words with the number of questions that contain each.

    Attributes:
        questions: approximate number of questions in the bank.
        common: numbers and formula tokens in many questions, with an estimated number of questions.
    """

    words: Mapping[str, int]
    questions: int
    common: Mapping[str, int] = field(default_factory=dict)
    _by_length: dict[int, list[str]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._by_length.update(_plain_words_by_length(self.words))

    def count(self, token: str) -> int:
        """Return the approximate number of questions that contain a token; 0 if not known."""
        return min(self.words.get(token) or self.common.get(token, 0), self.questions)

    def rarity(self, token: str) -> float:
        """Return the inverse document frequency, as in BM25: 0 for a token in every question, high for rare ones."""
        count = self.count(token)
        return math.log(1 + (self.questions - count + 0.5) / (count + 0.5))

    def corrections(self, word: str, limit: int = 4, names: Collection[str] = frozenset()) -> list[str]:
        """Return known words that a misspelt one was probably meant to be, the most probable first.

        The nearest by dropped, added, changed and swapped letters; among equally near ones English words, then the
        most common. Words of the bank, of ordinary English and of concepts' names are correct, and so is anything that
        is not a plain word (a formula, a number, Chinese).
        """
        if not (SHORTEST_CORRECTED <= len(word) <= _LONGEST_CORRECTED) or word in self.words or word in names:
            return []
        if not (word.isascii() and word.isalpha()) or is_english(word):
            return []
        names = frozenset(names)
        most = 2 if len(word) >= _TWO_MISTAKES_FROM else 1
        near: set[tuple[int, bool, bool, int, str]] = set()
        for length in range(len(word) - most, len(word) + most + 1):
            for known_words in (self._by_length.get(length, ()), _plain_words(names).get(length, ())):
                matches = process.extract(word, known_words, scorer=OSA.distance, score_cutoff=most, limit=50)
                near.update(
                    (
                        int(mistakes),
                        candidate[0] != word[0],
                        not is_english(candidate),
                        -self.words.get(candidate, 0),
                        candidate,
                    )
                    for candidate, mistakes, _ in matches
                )
        return [candidate for *_, candidate in sorted(near)[:limit]]


def _plain_words_by_length(words: Iterable[str]) -> dict[int, list[str]]:
    by_length: dict[int, list[str]] = {}
    for word in words:
        if word.isalpha() and word.isascii():
            by_length.setdefault(len(word), []).append(word)
    return by_length


@lru_cache(maxsize=4)
def _plain_words(names: frozenset[str]) -> dict[int, list[str]]:
    """Return names by length; cached, because the set only changes with the concepts."""
    return _plain_words_by_length(names)


def _read() -> Vocabulary:
    words = dict(VocabularyWord.objects.values_list("word", "questions"))
    questions = max(_questions(), 1, *words.values())
    return Vocabulary(words, questions, _common_tokens(questions))


def _signature() -> tuple[object, ...]:
    figures = VocabularyWord.objects.aggregate(Count("pk"), Sum("questions"), Max("questions"))
    return (connection.settings_dict["NAME"], *figures.values())


def _questions() -> int:
    """Return PostgreSQL's own estimate of the number of questions, which is cheap."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples::bigint FROM pg_class WHERE oid = 'questionbank_question'::regclass")
        return int(cursor.fetchone()[0])


def _common_tokens(questions: int) -> dict[str, int]:
    """Return the thousand most common tokens from PostgreSQL's own statistics, which include numbers."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT unnest(most_common_elems::text::text[]), unnest(most_common_elem_freqs) FROM pg_stats"
            " WHERE tablename = 'questionbank_question' AND attname = 'search_vector'"
        )
        # The list of frequencies ends with three values that do not belong to elements.
        return {token: round(share * questions) for token, share in cursor.fetchall() if token is not None}


# The bank's vocabulary, reloaded after a refresh.
vocabulary: VersionedCache[Vocabulary] = VersionedCache(_signature, _read, lambda: CHECK_AFTER)


QuerySort = Literal["browse", "words", "question", "formula"]

_QUESTION_WORDS = 6  # from this many words, a query is a sentence with a meaningful word order
_CORRECTED_WORDS = 12  # longer queries are pasted rather than typed, with the author's spelling
_LONGEST = 4000  # characters; a whole question fits

_PROSE_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN_WORD = re.compile(r"(?<![\\\w])[A-Za-z]+(?:['’][A-Za-z]+)?(?!\w)")
_NUMBER = re.compile(r"(?P<named>(?:question|no\.?|nr\.?|q)?\s*#?|第)\s*(?P<number>[1-9]\d{0,17})\s*题?", re.IGNORECASE)
_ABOUT = (  # calculations typed with words, and the concepts that they are about
    (re.compile(r"\$\\frac\{\d+\}\{\d+\}\$ of \d[\d,.]*\W*"), "fraction of an amount"),
    (re.compile(r"\d+(?:\.\d+)? ?(?:%|per ?cent) of \d[\d,.]*\W*"), "percentage of an amount"),
)
_SPOKEN = (  # formulas typed in words
    (re.compile(r"\blog(?:arithm)?(?: to)? base (\w{1,3}) of (\w{1,6})\b", re.IGNORECASE), r"log_\1(\2)"),
    (re.compile(r"\b(?:the )?square root of (\d+(?:\.\d+)?|[a-z])\b(?! *[\w(])", re.IGNORECASE), r"sqrt(\1)"),
    (re.compile(r"\b(?:the )?cube root of (\d+(?:\.\d+)?|[a-z])\b(?! *[\w(])", re.IGNORECASE), r"cbrt(\1)"),
    (re.compile(r"\b([a-z]) squared\b"), r"\1^2"),
    (re.compile(r"\b([a-z]) cubed\b"), r"\1^3"),
)
_SPOKEN_OF = (  # operators typed as words before a formula
    (
        re.compile(r"(?:the )?(?:indefinite )?(?:integral|antiderivative) of \$([^$]+?)(?: ?d[xyt])?\$", re.IGNORECASE),
        r"$\\int \1\\,dx$",
    ),
    (re.compile(r"integrate \$([^$]+?)(?: ?d[xyt])?\$", re.IGNORECASE), r"$\\int \1\\,dx$"),
    (re.compile(r"(?:the )?limit of \$([^$]+)\$", re.IGNORECASE), r"$\\lim_{x \\to 0} \1$"),
)
_SIGN_TOKEN = re.compile(r"\d|^m[a-z]$")  # numbers, lone letters
_ENDS_SENTENCE = re.compile(r"[.?!。？！]\s*$|[\u3400-\u9fff]")
JOINING_WORDS = frozenset(
    str.split(
        "a an the of in on at for to with and by from its their that which is are as using use involving about into"
        " against question questions exercise exercises example examples worksheet practice practise revision"
        " homework maths math mathematics 的 和 与 在 中 求 题 题目 练习"
    )
)
"""Words that ask for questions, or join what is asked for, and do not identify the topic."""
_ASKING = frozenset(  # words that go with any formula and state the task rather than the topic
    str.split(
        """
        a an and answer answers calculate calculation compute equal equals evaluate exactly expression find for
        give how is it kn much of out please question simplify solution solve sum that the this to value what
        whats work 求 计算 解 解方程 等于 多少
        """
    )
)


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A query as it will be searched for.

    Attributes:
        sort: ``"browse"`` if nothing was typed.
        searched: the text with misspelt words corrected and plain maths as LaTeX between dollars.
        corrected: the typed text with misspelt words corrected; empty if there were none.
        read_as: `searched` if it contains converted plain maths, otherwise empty.
        tokens: the tokens for full-text search, in order.
        prose: the tokens outside formulas.
        number: id of the question requested by number, or 0.
        concept: the concept that a mix of plain maths and words is about: "3/4 of 20" is a fraction of an amount.
        is_number: whether it can only be a question's number: "Question 12", "#12"; "12" alone may mean something else.
    """

    sort: QuerySort
    text: str
    searched: str = ""
    corrected: str = ""
    read_as: str = ""
    tokens: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()
    formulas: tuple[str, ...] = ()
    language: str = ""
    number: int = 0
    is_number: bool = False
    concept: str = ""


def parse_query(
    text: str, vocabulary: Vocabulary, *, exact: bool = False, names: Collection[str] = frozenset()
) -> ParsedQuery:
    """Parse the typed text.

    Args:
        vocabulary: the bank's words; words unknown to it and to English are corrected to words that it knows.
        names: words of the concepts' names and synonyms, which count as correct too.
    """
    text = text.replace("\x00", " ").strip()[:_LONGEST]
    if not text:
        return ParsedQuery("browse", "")
    marked = _marked(text)
    words = _words_of_prose(marked)
    correctable = not exact and 0 < words <= _CORRECTED_WORDS
    corrected = _corrected(text, vocabulary, names) if correctable else ""
    searched = _marked(corrected) if corrected else marked
    language = script_language(text)
    formulas = tuple(text_formulas(searched))
    number = _NUMBER.fullmatch(text)
    return ParsedQuery(
        sort=_sort(searched, words, formulas),
        text=text,
        searched=searched,
        corrected=corrected,
        read_as=searched if searched != (corrected or text) else "",
        tokens=tuple(search_tokens(searched, language)),
        prose=tuple(search_tokens(_prose(searched), language)),
        formulas=formulas,
        language=language,
        number=int(number["number"]) if number else 0,
        is_number=bool(number and number["named"].strip()),
        concept=next((name for pattern, name in _ABOUT if pattern.fullmatch(_asked_of(searched))), ""),
    )


def _marked(text: str) -> str:
    """Convert plain maths, and formulas in words, to LaTeX between dollars."""
    for pattern, plain in _SPOKEN:
        text = pattern.sub(plain, text)
    marked = mark_plain_maths(text)
    for pattern, latex in _SPOKEN_OF:
        if match := pattern.fullmatch(marked):
            return match.expand(latex)
    return marked


def _prose(marked: str) -> str:
    return " ".join(segment.source for segment in segment_text(marked) if segment.kind == "text")


def _sort(searched: str, words: int, formulas: Sequence[str]) -> QuerySort:
    if formulas and all(_SIGN_TOKEN.search(token) for token in {*search_tokens(_prose(searched))} - _ASKING):
        return "formula"
    if words >= _QUESTION_WORDS and not formulas and not _ENDS_SENTENCE.search(searched):
        words = len([word for word in _PROSE_WORD.findall(searched) if word.lower() not in JOINING_WORDS])
    return "question" if words >= _QUESTION_WORDS else "words" if words else "formula"


def _asked_of(searched: str) -> str:
    """Remove words at the beginning that only ask: "what is", "find"."""
    words = searched.split(" ")
    start = next((place for place, word in enumerate(words) if word.lower() not in _ASKING), 0)
    return " ".join(words[start:])


def long_query_text(key: str) -> str:
    """Return the text of a search stored under a key; empty if the key is not known."""
    return LongQuery.objects.filter(pk=key[:24]).values_list("text", flat=True).first() or ""


def quoted(token: str) -> str:
    """Quote a token for `to_tsquery`."""
    return "'" + token.replace("\\", "\\\\").replace("'", "''") + "'"


def _words_of_prose(marked: str) -> int:
    """Count the words outside formulas; two Chinese characters count as about one word."""
    prose = _prose(marked)
    return len(_PROSE_WORD.findall(CHINESE.marks.sub(" ", prose))) + (len(CHINESE.marks.findall(prose)) + 1) // 2


def _corrected(text: str, vocabulary: Vocabulary, names: Collection[str]) -> str:
    """Return the text with misspelt words corrected, or an empty string if there are none."""
    prose = {
        match[0]
        for part in segment_text(mark_plain_maths(text))
        if part.kind == "text"
        for match in _LATIN_WORD.finditer(part.source)
    }
    tokens = {word: next(iter(search_tokens(word)), "") for word in sorted(prose)}
    candidates = {
        word: [] if is_english(word) else vocabulary.corrections(token, names=names) for word, token in tokens.items()
    }
    correct_tokens = {token for word, token in tokens.items() if not candidates[word] and vocabulary.count(token)}
    meant = {
        word: _spelt(better)
        for word, choice in candidates.items()
        if choice and (better := _likeliest(tokens[word], choice, correct_tokens, names))
    }
    if not meant:
        return ""
    return _LATIN_WORD.sub(lambda match: meant.get(match[0], match[0]), text)


def _spelt(token: str) -> str:
    """Return a token as a word, restoring the s that stemming removes from words without singular ("pythagora")."""
    return f"{token}s" if not is_english(token) and is_english(f"{token}s") else token


_STANDING_TOGETHER = """
    SELECT token FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS asked (token, query, place)
    WHERE EXISTS (
        SELECT FROM questionbank_question WHERE search_vector @@ to_tsquery('simple', asked.query) AND {seen}
    )
    ORDER BY place
"""


def _likeliest(token: str, candidates: Sequence[str], correct_tokens: Collection[str], names: Collection[str]) -> str:
    """Return the first candidate that occurs in a question together with the query's other words, else the first.

    Only questions that the viewer may see count, so a word that only others' questions contain is never proposed;
    the system sees all words.
    Return an empty string if a question contains the token itself, since a word newer than the vocabulary is correct.
    """
    together = [" & ".join(quoted(word) for word in (candidate, *correct_tokens)) for candidate in candidates]
    standing = _standing([token, *candidates], [quoted(token), *together])
    if token in standing:
        return ""
    if not standing and viewer_audiences() is not None:
        single = _standing(candidates, [quoted(candidate) for candidate in candidates])
        standing = [candidate for candidate in candidates if candidate in single or candidate in names]
    elif not standing:
        return candidates[0]
    return standing[0] if standing else ""


def _standing(tokens: Sequence[str], queries: Sequence[str]) -> list[str]:
    """Return those tokens whose full-text query finds a question."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDING_TOGETHER.format(seen=seen_sql()), [list(tokens), list(queries)])
        return [row[0] for row in cursor.fetchall()]
