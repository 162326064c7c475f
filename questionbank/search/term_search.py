"""Ranking questions by the terms of a search of a few words (`questionbank.search.terms`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from questionbank.search.concept_search import is_tagged, tagged
from questionbank.search.conditions import Condition, fetch, holding
from questionbank.search.spelling import vocabulary
from questionbank.search.terms import Phrase, Terms, Word
from questionbank.search.text_search import (
    LEAST_HELD,
    TYPICAL_WORDS,
    TextRanking,
    best_candidates,
    leading_tokens,
    token_counts,
)

LOOKED_THROUGH = 50_000  # entries of the index of words that all phrases of a search together may cost
LEADING_CONCEPTS = 3  # of those that words name, the rarest words first, that lead to questions by themselves
BY_NAME = 0.7  # times a word's weight: what it counts if only a synonym or a concept matches
BY_TOPIC = 0.4  # likewise, if only a concept matches in which questions on its topic are found
NAME_BONUS, PAIR_BONUS = (
    1.0,
    0.25,
)  # times a phrase's weight: what a question gains whose words are together
TAG_BONUS = 1.0  # likewise, one that is tagged with a concept of this very name


@dataclass(frozen=True, slots=True)
class TermRanking(TextRanking):
    """The same with the share of the search's weight that each question holds."""

    shares: Mapping[int, float] = field(default_factory=dict)


def rank_by_terms(terms: Terms, passed: Condition) -> TermRanking:
    """Rank the questions that hold all words, in what they say or are tagged with, before those that hold some."""
    conditions = terms_conditions(terms)
    if not conditions:
        return TermRanking()
    most = sum(word.weight for word in terms.words) or 1.0
    known = sum(word.weight for word in terms.words if not word.is_unknown) or most
    scored: list[tuple[int, bool, float, int]] = []
    shares: dict[int, float] = {}
    for row in _rows(terms, passed, conditions):
        weight, is_complete = _held_weight(terms, row)
        if weight < LEAST_HELD * known:
            continue
        shares[row.id] = weight / most
        score = (weight + _gained(terms, row)) ** 2 / (TYPICAL_WORDS + row.length) * (1 + 3 * row.nearness)
        scored.append((row.direction, is_complete, score, row.id))
    scored.sort(reverse=True)
    ids = [pk for *_order, pk in scored]
    complete = sum(is_complete for _direction, is_complete, *_ in scored)
    return TermRanking(ids, shares[ids[0]] if ids else 0.0, complete, shares)


def _held_weight(terms: Terms, row: _Row) -> tuple[float, bool]:
    """Return the weight of the words that a question holds, and whether these are all."""
    weight, is_complete = 0.0, True
    for word, has_word in zip(terms.words, row.words, strict=True):
        held = [place for place in word.phrases if terms.phrases[place].is_name and row.phrases[place]]
        if has_word:
            weight += word.weight
        elif any(row.said[place] or not terms.phrases[place].is_topic for place in held):
            weight += word.weight * BY_NAME
        else:
            weight += word.weight * (BY_TOPIC if held else 0.0)
            is_complete = False
    return weight, is_complete


def _gained(terms: Terms, row: _Row) -> float:
    """Return what a question gains by words that are together, and by the concepts of this name."""
    gained = 0.0
    for phrase, is_held, is_tagged_so in zip(terms.phrases, row.phrases, row.tags, strict=True):
        if is_held:
            gained += phrase.weight * (NAME_BONUS if phrase.is_name else PAIR_BONUS)
        if is_tagged_so and phrase.is_concept:
            gained += phrase.weight * TAG_BONUS
    return gained


def terms_conditions(terms: Terms) -> list[Condition]:
    """Return conditions of which a question fulfils one that holds every word; none where nothing is asked for.

    A search for one thing turned into another finds no question that asks for the reverse.

    The first is answered by the index of words alone, each other one from the questions tagged with what a word names:
    PostgreSQL would collect every word's questions for a condition that joins words and tags by OR. Where these are
    more, all are answered from the questions that say the rarest word, or are tagged with what it names.
    """
    if not terms.words:
        return []
    said = {word: _said(word, terms) for word in terms.words}
    rarest = min(terms.words, key=lambda word: word.looked_through)
    tags_of_others = sum(
        phrase.tags for word in terms.words if word is not rarest for phrase in _names(word, terms)
    )
    if tags_of_others > rarest.looked_through:
        conditions, leading = [_with_others(holding(said[rarest]), rarest, said, terms)], [rarest]
    else:
        conditions, leading = [holding(" & ".join(f"({query})" for query in said.values()))], [*terms.words]
    tags = [(word, nodes) for word in leading if (nodes := _nodes(word, terms))]
    conditions += [_with_others(tagged(nodes), word, said, terms) for word, nodes in tags]
    if terms.direction:
        not_reverse = holding(f"({terms.direction.wanted}) | !({terms.direction.reverse})")
        conditions = [condition & not_reverse for condition in conditions]
    return conditions


def _with_others(condition: Condition, word: Word, said: Mapping[Word, str], terms: Terms) -> Condition:
    """Return that a question fulfils a condition and holds all words but one."""
    for other in terms.words:
        if other is not word:
            condition &= _held(other, said[other], terms)
    return condition


def _said(word: Word, terms: Terms) -> str:
    names = [f"({phrase.query})" for phrase in _names(word, terms)]
    return " | ".join([word.query, *names])


def _held(word: Word, said: str, terms: Terms) -> Condition:
    nodes = _nodes(word, terms)
    # Asked of one question after another, of those that are tagged with another word.
    return holding(said) | is_tagged(nodes) if nodes else holding(said)


def _nodes(word: Word, terms: Terms) -> list[str]:
    return [node for phrase in _names(word, terms) for node in phrase.nodes]


def _names(word: Word, terms: Terms) -> list[Phrase]:
    return [terms.phrases[place] for place in word.phrases if terms.phrases[place].is_name]


def _branches(
    terms: Terms, passed: Condition, conditions: Sequence[Condition]
) -> list[tuple[Sequence[Condition], float]]:
    """Return what leads to candidates, with its weight: phrases, rare words, all words, the rarest concepts.

    A common word leads to no questions by itself, nor do common words side by side.
    """
    counts = token_counts((word.token for word in terms.words), vocabulary())
    leading = leading_tokens(sorted(counts, key=lambda token: counts[token]), counts)
    said: dict[str, float] = defaultdict(float)  # a word may be a name as well
    for part in _quickly_found(terms.phrases) + [word for word in terms.words if word.token in leading]:
        said[part.query] += part.weight
    named = sorted((phrase for phrase in terms.phrases if phrase.nodes), key=lambda phrase: -phrase.weight)
    return [
        *(([passed & holding(query)], weight) for query, weight in said.items()),
        ([passed & one for one in conditions], sum(word.weight for word in terms.words)),
        *(([passed & tagged(part.nodes)], part.weight) for part in named[:LEADING_CONCEPTS]),
    ]


def _quickly_found(phrases: Iterable[Phrase]) -> list[Phrase | Word]:
    """Return the phrases that lead to questions: of rare words first, as many as may be looked up."""
    found: list[Phrase | Word] = []
    spent = 0
    for phrase in sorted(phrases, key=lambda phrase: phrase.looked_through):
        spent += phrase.looked_through
        if spent > LOOKED_THROUGH:
            break
        found.append(phrase)
    return found


@dataclass(frozen=True, slots=True)
class _Row:
    """A candidate: the nearness of the words, which phrases, concepts of phrases and words it holds.

    Attributes:
        said: which phrases its text holds.
        phrases: which its text or its tags hold.
        direction: 1 where it asks for what the search wants something turned into, -1 for the reverse, else 0.
    """

    id: int
    length: int
    said: list[bool]
    phrases: list[bool]
    tags: list[bool]
    words: list[bool]
    nearness: float
    direction: int


def _rows(terms: Terms, passed: Condition, conditions: Sequence[Condition]) -> list[_Row]:
    """Return the likeliest candidates."""
    candidate = best_candidates(_branches(terms, passed, conditions))
    never = Condition("FALSE")
    tags = [is_tagged(phrase.nodes) if phrase.nodes else never for phrase in terms.phrases]
    phrases = [holding(phrase.query) for phrase in terms.phrases]
    words = [holding(word.query) for word in terms.words]
    towards = terms.direction
    turned = [holding(towards.wanted), holding(towards.reverse)] if towards else [never, never]
    every = " & ".join(f"({word.query})" for word in terms.words)
    arrays = ", ".join(
        f"ARRAY[{', '.join(condition.sql for condition in conditions)}]::boolean[]"
        for conditions in (phrases, tags, words, turned)
    )
    query = f"""
        WITH {candidate.sql}
        SELECT id, length(search_vector), {arrays}, ts_rank_cd(search_vector, to_tsquery('simple', %s))
        FROM candidate JOIN questionbank_question USING (id)
    """  # noqa: S608 - only numbers of ours; what was typed is in the parameters
    parts = (candidate, *phrases, *tags, *words, *turned)
    parameters = [value for part in parts for value in part.parameters]
    rows = fetch(query, [*parameters, every])
    return [
        _Row(
            int(pk),
            int(length),
            said_phrases,
            [said or tagged_so for said, tagged_so in zip(said_phrases, tags_held, strict=True)],
            tags_held,
            words_held,
            float(nearness),
            int(is_wanted) - int(is_reverse),
        )
        for pk, length, said_phrases, tags_held, words_held, (is_wanted, is_reverse), nearness in rows
    ]
