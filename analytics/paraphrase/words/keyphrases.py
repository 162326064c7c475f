"""The key phrases of a question, after TopicRank (Bougouin et al., 2013): topics ranked by a walk on a graph.

A candidate is a run of content words (no tagger is needed for that); candidates that share a word make one topic;
two topics are joined the more strongly the nearer they stand; PageRank orders them. A topic's key phrase is its
first candidate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(slots=True)
class _Candidate:
    start: int
    end: int
    index: int  # in words from the start
    stems: frozenset[str]


def key_phrases(text: str, count: int = 4) -> list[KeyPhrase]:
    """Return the most important phrases, the best first.

    >>> [phrase.text for phrase in key_phrases("A farmer sells eggs. The farmer has 12 eggs in a basket.", 2)]
    ['farmer sells eggs', 'basket']
    """
    topics = _topics(_candidates(text))
    if not topics:
        return []
    weights = [[_strength(topic, neighbour) for neighbour in topics] for topic in topics]
    scores = _page_rank(weights)
    order = sorted(range(len(topics)), key=lambda index: (-scores[index], topics[index][0].start))
    return [_phrase(text, topics[index]) for index in order[:count]]


def _candidates(text: str) -> list[_Candidate]:
    candidates: list[_Candidate] = []
    run: list[tuple[int, re.Match[str]]] = []
    for index, token in enumerate([*_TOKEN.finditer(text), None]):
        if token is not None and token[0][0].isalpha() and token[0].lower() not in STOP_WORDS:
            run.append((index, token))
            continue
        if run:
            run = run[-_LONGEST:]  # the head of a noun phrase stands last
            stems = frozenset(stem(word[0]) for _, word in run)
            candidates.append(_Candidate(run[0][1].start(), run[-1][1].end(), run[0][0], stems))
            run = []
    return candidates


def _topics(candidates: Sequence[_Candidate]) -> list[list[_Candidate]]:
    topics: list[list[_Candidate]] = []
    for candidate in candidates:
        for topic in topics:
            if any(
                2 * len(candidate.stems & member.stems) >= min(len(candidate.stems), len(member.stems))
                for member in topic
            ):
                topic.append(candidate)
                break
        else:
            topics.append([candidate])
    return topics


def _strength(topic: Sequence[_Candidate], neighbour: Sequence[_Candidate]) -> float:
    if topic is neighbour:
        return 0.0
    return sum(1 / abs(first.index - second.index) for first in topic for second in neighbour)


def _page_rank(weights: list[list[float]]) -> list[float]:
    count = len(weights)
    totals = [sum(row) or 1.0 for row in weights]
    scores = [1.0 / count] * count
    for _ in range(_ROUNDS):
        scores = [
            (1 - _DAMPING) / count
            + _DAMPING
            * sum(
                scores[neighbour] * weights[neighbour][index] / totals[neighbour]
                for neighbour in range(count)
            )
            for index in range(count)
        ]
    return scores


def _phrase(text: str, topic: Sequence[_Candidate]) -> KeyPhrase:
    first = topic[0]
    phrase = text[first.start : first.end]
    pattern = re.compile(rf"(?<!\w){re.escape(phrase)}(?!\w)", re.IGNORECASE)
    return KeyPhrase(phrase, tuple(match.span() for match in pattern.finditer(text)))
