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

LOOKED_THROUGH = 50_000  # index entries that all phrases of a search together may read
LEADING_CONCEPTS = 3  # most concepts named by words that contribute candidates, rarest words first
BY_NAME = 0.7  # factor on a word's weight if only a synonym or a concept matches
BY_TOPIC = 0.4  # factor if only a concept with questions on the word's topic matches
NAME_BONUS, PAIR_BONUS = (1.0, 0.25)  # factor on a phrase's weight: the bonus for words that are together
TAG_BONUS = 1.0  # the bonus for being tagged with a concept of exactly this name


@dataclass(frozen=True, slots=True)
class TermRanking(TextRanking):
    """A text ranking with the share of the search's weight that each question contains."""

    shares: Mapping[int, float] = field(default_factory=dict)


def rank_by_terms(terms: Terms, passed: Condition) -> TermRanking:
    """Rank the questions with all words, in their text or tags, before those with some."""
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
    """Return the weight of the words that a question contains, and whether these are all."""
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
    """Return a question's bonus for words that are together, and for concepts with this name."""
    gained = 0.0
    for phrase, is_held, is_tagged_so in zip(terms.phrases, row.phrases, row.tags, strict=True):
        if is_held:
            gained += phrase.weight * (NAME_BONUS if phrase.is_name else PAIR_BONUS)
        if is_tagged_so and phrase.is_concept:
            gained += phrase.weight * TAG_BONUS
    return gained


def terms_conditions(terms: Terms) -> list[Condition]:
    """Return conditions such that a question with every word fulfils at least one; empty without words.

    A search for turning one thing into another does not match questions that ask for the reverse.

    The first condition uses the full-text index alone, each of the others starts from the questions tagged with what a
    word names: for a condition that joins words and tags by OR, PostgreSQL would collect every word's questions. If
    more questions are tagged, all start from those that contain the rarest word, or are tagged with what it names.
    """
    if not terms.words:
        return []
    said = {word: _said(word, terms) for word in terms.words}
    rarest = min(terms.words, key=lambda word: word.looked_through)
    tags_of_others = sum(phrase.tags for word in terms.words if word is not rarest for phrase in _names(word, terms))
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
    """Return the condition extended to require every word other than the given one."""
    for other in terms.words:
        if other is not word:
            condition &= _held(other, said[other], terms)
    return condition


def _said(word: Word, terms: Terms) -> str:
    names = [f"({phrase.query})" for phrase in _names(word, terms)]
    return " | ".join([word.query, *names])


def _held(word: Word, said: str, terms: Terms) -> Condition:
    nodes = _nodes(word, terms)
    # Checked question by question for those tagged with another word.
    return holding(said) | is_tagged(nodes) if nodes else holding(said)


def _nodes(word: Word, terms: Terms) -> list[str]:
    return [node for phrase in _names(word, terms) for node in phrase.nodes]


def _names(word: Word, terms: Terms) -> list[Phrase]:
    return [terms.phrases[place] for place in word.phrases if terms.phrases[place].is_name]


def _branches(
    terms: Terms, passed: Condition, conditions: Sequence[Condition]
) -> list[tuple[Sequence[Condition], float]]:
    """Return the sources of candidates with their weights: phrases, rare words, all words, the rarest concepts.

    A common word is not a source on its own, nor are adjacent common words.
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
    """Return the phrases that are sources of candidates: those with rare words first, within the lookup budget."""
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
    """A candidate: how near the words are, and which phrases, concepts of phrases and words it contains.

    Attributes:
        said: which phrases its text contains.
        phrases: which phrases its text or its tags contain.
        direction: 1 if it asks for the conversion that the search wants, -1 for the reverse, otherwise 0.
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
    """Return the most likely candidates."""
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
