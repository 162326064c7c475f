"""Operators that delete parts of a question (f2, f5, f6, f_d), and key phrases after TopicRank."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.inference.encode import Encode, HashedNgramEncoder
from analytics.paraphrase.words.entities import first_words
from analytics.paraphrase.words.wording import STOP_WORDS, apply_edits, lower_first, stem, tidy
from analytics.text.clauses import split_sentences

_TOKEN = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*|\d[\d.,/]*|[^\w\s]")
_LONGEST = 4
_DAMPING = 0.85
_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class KeyPhrase:
    """A phrase and all its spans in the text, as (start, end)."""

    text: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A run of content words; `index` is its position in words."""

    text: str
    index: int
    stems: frozenset[str]


def key_phrases(text: str, count: int = 4) -> list[KeyPhrase]:
    """Return the most important phrases, best first.

    >>> [phrase.text for phrase in key_phrases("A farmer sells eggs. The farmer has 12 eggs in a basket.", 2)]
    ['farmer sells eggs', 'basket']
    """
    topics = _topics(_candidates(text))
    weights = np.array([[_strength(topic, other) for other in topics] for topic in topics])
    scores = np.full(len(topics), 1 / max(1, len(topics)))
    for _ in range(_ROUNDS if topics else 0):
        shares = scores / np.where(weights.sum(axis=1) > 0, weights.sum(axis=1), 1)
        scores = (1 - _DAMPING) / len(topics) + _DAMPING * shares @ weights
    order = sorted(range(len(topics)), key=lambda place: (-scores[place].round(12), topics[place][0].index))
    return [_phrase(text, topics[place][0].text) for place in order[:count]]


def _candidates(text: str) -> list[_Candidate]:
    candidates: list[_Candidate] = []
    run: list[tuple[int, re.Match[str]]] = []
    for index, token in enumerate([*_TOKEN.finditer(text), None]):
        if token is not None and token[0][0].isalpha() and token[0].lower() not in STOP_WORDS:
            run.append((index, token))
        elif run:
            run = run[-_LONGEST:]  # the head of a noun phrase comes last
            words = text[run[0][1].start() : run[-1][1].end()]
            candidates.append(_Candidate(words, run[0][0], frozenset(stem(word[0]) for _, word in run)))
            run = []
    return candidates


def _topics(candidates: list[_Candidate]) -> list[list[_Candidate]]:
    topics: list[list[_Candidate]] = []
    for candidate in candidates:
        alike = (topic for topic in topics if any(_are_alike(candidate, member) for member in topic))
        if (topic := next(alike, None)) is not None:
            topic.append(candidate)
        else:
            topics.append([candidate])
    return topics


def _are_alike(one: _Candidate, other: _Candidate) -> bool:
    return 2 * len(one.stems & other.stems) >= min(len(one.stems), len(other.stems))


def _strength(topic: list[_Candidate], other: list[_Candidate]) -> float:
    if topic is other:
        return 0.0
    return sum(1 / abs(first.index - second.index) for first in topic for second in other)


def _phrase(text: str, phrase: str) -> KeyPhrase:
    places = re.finditer(rf"(?<!\w){re.escape(phrase)}(?!\w)", text, re.IGNORECASE)
    return KeyPhrase(phrase, tuple(match.span() for match in places))


_LAST_TOKENS = 3
_SHARE = 0.15  # of the tokens, deleted at random


def same(question: str, _rng: random.Random) -> str | None:
    """Return the question unchanged (f2), since dropout gives it two vectors in training; None if it is blank."""
    return question if question.strip() else None


def delete_phrase(question: str, _rng: random.Random, *, encode: Encode | None = None, count: int = 4) -> str | None:
    """Delete the key phrase whose removal changes the question's vector most (f5); None if nothing would be left.

    Args:
        encode: returns unit vectors; by default those of hashed character n-grams, which need no weights.
        count: number of key phrases to try.
    """
    versions = []
    for phrase in key_phrases(question, count):
        left = tidy(apply_edits(question, [(start, end, "") for start, end in phrase.places]))
        if any(character.isalnum() for character in left) and left != question:
            versions.append(left)
    if not versions:
        return None
    vectors = (encode or _wording().encode)([question, *versions])
    return versions[int(np.argmin(vectors[1:] @ vectors[0]))]


@lru_cache(maxsize=1)
def _wording() -> HashedNgramEncoder:
    return HashedNgramEncoder()


def delete_last_sentence(question: str, _rng: random.Random) -> str | None:
    """Drop the last sentence, or the last three tokens of a single one (f6); None if nothing would be left."""
    sentences = split_sentences(question)
    if len(sentences) > 1:
        return question[: sentences[-1].start].rstrip() or None
    tokens = question.split()
    if len(tokens) <= _LAST_TOKENS:
        return None
    kept = question.rstrip()
    for token in reversed(tokens[-_LAST_TOKENS:]):
        kept = kept[: kept.rindex(token)].rstrip()
    return kept


def delete_tokens(question: str, rng: random.Random) -> str | None:
    """Delete each token with probability 0.15, at least one (f_d, after EDA); None for fewer than three tokens."""
    tokens = question.split()
    if len(tokens) < 3:
        return None
    kept = [token for token in tokens if rng.random() >= _SHARE]
    if len(kept) == len(tokens):
        kept.pop(rng.randrange(len(kept)))
    if not kept:
        kept = [rng.choice(tokens)]
    return " ".join(kept)


def ask_only(question: str, rng: random.Random) -> str | None:
    """Ask with at most one fact, like a weak paraphraser trained on a forum's questions; None for a single sentence.

    It is the stand-in for f_e: section 4.2 and Figure 1.
    """
    sentences = [sentence.text.strip() for sentence in split_sentences(question)]
    asks = [sentence for sentence in split_sentences(question) if sentence.is_question]
    if len(sentences) < 2 or not asks:
        return None
    asked = asks[-1].text.strip().rstrip("?.").rstrip()
    facts = [sentence for sentence in sentences if sentence != asks[-1].text.strip()]
    if len(facts) > 1 and rng.random() < 0.6:
        fact = lower_first(rng.choice(facts).rstrip(".?! "), first_words(question))
        return tidy(f"{asked} if {fact}?")
    return tidy(f"{asked}?")
