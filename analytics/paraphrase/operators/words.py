"""Operators on words: invert a comparison, insert an unrelated word, and replace rare words (f_c)."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache

from analytics.paraphrase.words.editing import apply_edits, formula_spans, overlaps, upper_first
from analytics.paraphrase.words.entities import find_entities
from analytics.paraphrase.words.wording import STOP_WORDS, rows_of, words, words_of
from analytics.text.numbers import find_numbers
from analytics.text.units import find_units

OPPOSITES = {first: others for first, *others in rows_of("opposites")}
"""Maps a comparison to its opposite."""

_PATTERN = re.compile(rf"\b(?:{'|'.join(sorted(OPPOSITES, key=len, reverse=True))})\b", re.IGNORECASE)
_TIMES = re.compile(r"(?:times|twice|half|thrice)\s$", re.IGNORECASE)


def turn_round(question: str, rng: random.Random) -> str | None:
    """Invert one comparison; None if there is none outside formulas."""
    formulas = formula_spans(question)
    comparisons = [
        match
        for match in _PATTERN.finditer(question)
        if not overlaps(match.start(), match.end(), formulas) and not _is_part(match)
    ]
    if not comparisons:
        return None
    match = rng.choice(comparisons)
    new = rng.choice(OPPOSITES[match[0].lower()])
    return question[: match.start()] + (upper_first(new) if match[0][0].isupper() else new) + question[match.end() :]


def _is_part(match: re.Match[str]) -> bool:
    """Return whether the words are part of another expression: "twice as many", "after that", "half as much"."""
    text, word = match.string, match[0].lower()
    behind = text[match.end() : match.end() + 8].lower()
    if word == "as many":
        return _TIMES.search(text[: match.start()]) is not None
    if word in {"before", "after"}:
        return behind.startswith((" that", ",", ".", " this"))
    return word in {"twice", "double"} and not behind.startswith((" as ", " the "))


WORDS = tuple(dict.fromkeys(words_of("unrelated")))
"""Words that are not names, units or things that a word problem counts."""

_COUNTED = re.compile(r"\s(?:[a-z]+\s)?([a-z]{4,})\b")


def put_unrelated(question: str, rng: random.Random) -> str | None:
    """Replace one word, sometimes two, by unrelated ones; None if there is nothing to replace outside formulas."""
    places = _places(question)
    if not places:
        return None
    count = min(len(places), 2 if rng.random() < 0.3 else 1)
    free = [word for word in WORDS if word not in question.lower()]
    edits = [(*place, rng.choice(free)) for place in rng.sample(places, count)]
    return apply_edits(question, [(start, end, _like(question[start], word)) for start, end, word in edits])


def _places(question: str) -> list[tuple[int, int]]:
    """Return the distinct spans of names, units, numbers and counted things."""
    numbers = find_numbers(question)
    spans = [(entity.start, entity.end) for entity in find_entities(question)]
    spans += [(unit.start, unit.end) for unit in find_units(question)]
    spans += [(number.start, number.end) for number in numbers]
    for number in numbers:
        counted = _COUNTED.match(question, number.end)
        if counted and counted[1] not in STOP_WORDS:
            spans.append(counted.span(1))
    formulas = formula_spans(question)
    places: list[tuple[int, int]] = []
    for start, end in sorted(set(spans), key=lambda place: (place[0], -place[1])):
        if not overlaps(start, end, formulas) and not overlaps(start, end, places):
            places.append((start, end))
    return places


def _like(first: str, word: str) -> str:
    return word.capitalize() if first.isupper() else word


_WORD = re.compile(r"(?<![\\\w])[A-Za-z]{3,}(?![\w'’])")


class TfidfReplacement:
    """Replaces the words with the highest TF-IDF.

    Args:
        texts: source of document frequencies and vocabulary.
        share: share of a question's words to replace, at least one and at most four.
    """

    never: Set[str] = STOP_WORDS
    """Words that are neither replaced nor inserted."""

    def __init__(self, texts: Iterable[str], share: float = 0.12) -> None:
        self.share = share
        self.frequency: Counter[str] = Counter()
        self.documents = 0
        for text in texts:
            self.frequency.update(set(words(text)))
            self.documents += 1
        self.vocabulary = sorted(word for word in self.frequency if len(word) > 2 and word not in self.never)

    def apply(self, question: str, rng: random.Random) -> str | None:
        """Replace one to four words; None if the question or the vocabulary has none."""
        formulas = formula_spans(question)
        places = [match for match in _WORD.finditer(question) if not overlaps(*match.span(), formulas)]
        counts = Counter(match[0].lower() for match in places if match[0].lower() not in self.never)
        if not counts or len(self.vocabulary) < 2:
            return None
        weight = {
            word: count * math.log((1 + self.documents) / (1 + self.frequency[word])) for word, count in counts.items()
        }
        most = min(max(1, round(self.share * len(places))), 4)
        new = {word: self._new_word(word, rng) for word in self._chosen(weight, most, rng)}
        chosen = {word: match for match in reversed(places) if (word := match[0].lower()) in new}
        return apply_edits(question, [(*match.span(), new[word]) for word, match in chosen.items()])

    def _chosen(self, weight: Mapping[str, float], most: int, _rng: random.Random) -> Sequence[str]:
        """Return the words to replace, given a question's words with their TF-IDF."""
        return sorted(weight, key=lambda word: (-weight[word], word))[:most]

    def _new_word(self, word: str, rng: random.Random) -> str:
        """Return the replacement for a word."""
        while (drawn := rng.choice(self.vocabulary)) == word:
            pass
        return drawn


@lru_cache(maxsize=1)
def _by_common_words() -> TfidfReplacement:
    """Return the default without texts: each of a thousand common English words is a document."""
    from faker.providers.lorem.en_US import Provider

    return TfidfReplacement(Provider.word_list)


def replace_rare(question: str, rng: random.Random) -> str | None:
    """Replace the words that are rarest in general English."""
    return _by_common_words().apply(question, rng)
