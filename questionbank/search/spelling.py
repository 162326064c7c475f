"""The bank's own words: how rare each is, and which of them a misspelt word was meant to be."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from django.db import connection
from django.db.models import Count, Max, Sum
from rapidfuzz import process
from rapidfuzz.distance import OSA

from questionbank.core.cached import VersionedCache
from questionbank.models import VocabularyWord

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
