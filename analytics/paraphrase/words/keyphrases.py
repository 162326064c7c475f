"""The key phrases of a question, after TopicRank (Bougouin et al., 2013): topics ranked by a walk on a graph.

A candidate is a run of content words (no tagger is needed for that); candidates that share a word make one topic;
two topics are joined the more strongly the nearer they are; PageRank orders them. A topic's key phrase is its
first candidate.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from analytics.paraphrase.words.wording import STOP_WORDS, stem

_TOKEN = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*|\d[\d.,/]*|[^\w\s]")
_LONGEST = 4
_DAMPING = 0.85
_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class KeyPhrase:
    """A phrase and all its places in the text, as (start, end)."""

    text: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A run of content words; `index` is its place in words."""

    text: str
    index: int
    stems: frozenset[str]


def key_phrases(text: str, count: int = 4) -> list[KeyPhrase]:
    """Return the most important phrases, the best first.

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
