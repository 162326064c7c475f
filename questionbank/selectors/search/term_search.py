"""Ranking questions by the terms of a search of a few words (`questionbank.selectors.search.terms`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Q, QuerySet

from questionbank.models import Question
from questionbank.selectors.search.concept_search import is_tagged, tagged_ids
from questionbank.selectors.search.terms import Phrase, Terms, Word
from questionbank.selectors.search.text_search import (
    FROM_ONE_WORD,
    LEAST_HELD,
    RESCORED,
    TYPICAL_WORDS,
    TextRanking,
    any_of,
    holding,
    ids_holding,
)

BY_NAME = 0.7  # times a word's weight: what it counts if only a synonym or a concept matches
NAME_BONUS, PAIR_BONUS = (
    1.0,
    0.25,
)  # times a phrase's weight: what a question gains whose words are together


@dataclass(frozen=True, slots=True)
class TermRanking(TextRanking):
    """The same with the share of the search's weight that each question holds."""

    shares: Mapping[int, float] = field(default_factory=dict)


def rank_by_terms(terms: Terms, questions: QuerySet[Question]) -> TermRanking:
    """Rank the questions that hold all words, in what they say or are tagged with, before those that hold some."""
    conditions = terms_conditions(terms)
    if not conditions:
        return TermRanking()
    most = sum(word.weight for word in terms.words) or 1.0
    scored: list[tuple[bool, float, int]] = []
    shares: dict[int, float] = {}
    for pk, length, nearness, phrases, words in _rows(terms, questions, conditions):
        held = [
            has_word or any(phrases[place] for place in word.phrases if terms.phrases[place].is_name)
            for word, has_word in zip(terms.words, words, strict=True)
        ]
        weight = sum(
            word.weight * (1.0 if has_word else BY_NAME)
            for word, is_held, has_word in zip(terms.words, held, words, strict=True)
            if is_held
        )
        if weight < LEAST_HELD * most:
            continue
        gained = sum(
            phrase.weight * (NAME_BONUS if phrase.is_name else PAIR_BONUS)
            for phrase, is_held in zip(terms.phrases, phrases, strict=True)
            if is_held
        )
        shares[pk] = weight / most
        score = (weight + gained) ** 2 / (TYPICAL_WORDS + length) * (1 + 3 * nearness)
        scored.append((all(held), score, pk))
    scored.sort(reverse=True)
    ids = [pk for _complete, _score, pk in scored]
    complete = sum(is_complete for is_complete, *_ in scored)
    return TermRanking(ids, shares[ids[0]] if ids else 0.0, complete, shares)


def terms_conditions(terms: Terms) -> list[Q]:
    """Return conditions of which a question fulfils one that holds every word; none where nothing is asked for.

    The first is answered by the index of words alone, each other one from the questions tagged with what a word names:
    PostgreSQL would collect every word's questions for a condition that joins words and tags by OR.
    """
    if not terms.words:
        return []
    said = {word: _said(word, terms) for word in terms.words}
    conditions = [holding(" & ".join(f"({query})" for query in said.values()))]
    for word in terms.words:
        if nodes := _nodes(word, terms):
            condition = Q(pk__in=tagged_ids(nodes))
            for other in terms.words:
                if other is not word:
                    condition &= _held(other, said[other], terms)
            conditions.append(condition)
    return conditions


def _said(word: Word, terms: Terms) -> str:
    names = [f"({phrase.query})" for phrase in _names(word, terms)]
    return " | ".join([word.query, *names])


def _held(word: Word, said: str, terms: Terms) -> Q:
    nodes = _nodes(word, terms)
    # Asked of one question after another, of those that are tagged with another word.
    return holding(said) | is_tagged(nodes) if nodes else holding(said)


def _nodes(word: Word, terms: Terms) -> list[str]:
    return [node for phrase in _names(word, terms) for node in phrase.nodes]


def _names(word: Word, terms: Terms) -> list[Phrase]:
    return [terms.phrases[place] for place in word.phrases if terms.phrases[place].is_name]


def _branches(
    terms: Terms, questions: QuerySet[Question], conditions: Sequence[Q]
) -> Iterator[tuple[str, Sequence[Any], float]]:
    """Yield what leads to candidates, with its weight: all words, each phrase, each concept, each word.

    Each is the SQL of ids and its parameters.

    Raises:
        EmptyResultSet: none of the questions can pass.
    """
    said: list[Phrase | Word] = [*terms.phrases, *terms.words]
    held = ids_holding([part.query for part in said], questions, FROM_ONE_WORD)
    for part, (sql, parameters) in zip(said, held, strict=True):
        yield sql, parameters, part.weight
    together = any_of(conditions, questions, FROM_ONE_WORD), sum(word.weight for word in terms.words)
    tagged = [(Q(pk__in=tagged_ids(part.nodes)), part.weight) for part in terms.phrases if part.nodes]
    for wanted, weight in (together, *tagged):
        sql, parameters = questions.filter(wanted).values("id")[:FROM_ONE_WORD].query.sql_with_params()
        yield sql, parameters, weight


def _rows(
    terms: Terms, questions: QuerySet[Question], conditions: Sequence[Q]
) -> list[tuple[int, int, float, list[bool], list[bool]]]:
    """Return the likeliest candidates: id, length, nearness of the words, which phrases and words each holds."""
    parts: list[str] = []
    parameters: list[Any] = []
    try:
        for sql, sql_parameters, weight in _branches(terms, questions, conditions):
            parts.append(f"SELECT id, %s::float8 AS weight FROM ({sql}) AS branch")  # noqa: S608 - Django's SQL
            parameters += [weight, *sql_parameters]
    except EmptyResultSet:  # Django sees that the filters let nothing pass
        return []
    phrases: list[str] = []
    for phrase in terms.phrases:
        checks = ["q.search_vector @@ to_tsquery('simple', %s)"]
        parameters.append(phrase.query)
        if phrase.nodes:
            checks.append(
                "EXISTS (SELECT FROM questionbank_questiontag t JOIN questionbank_knowledgeconcept k"
                " ON k.id = t.concept_id WHERE t.question_id = q.id AND k.path LIKE ANY(%s))"
            )
            parameters.append([f"{node}%" for node in phrase.nodes])
        phrases.append(f"({' OR '.join(checks)})")
    words = ["q.search_vector @@ to_tsquery('simple', %s)" for _word in terms.words]
    parameters += [word.query for word in terms.words]
    every = " & ".join(f"({word.query})" for word in terms.words)
    query = f"""
        WITH candidate AS MATERIALIZED (
            SELECT id, sum(weight) AS part FROM ({" UNION ALL ".join(parts)}) AS found
            GROUP BY id ORDER BY part DESC, id DESC LIMIT {RESCORED}
        )
        SELECT q.id, length(q.search_vector), ARRAY[{", ".join(phrases)}]::boolean[], ARRAY[{", ".join(words)}],
            ts_rank_cd(q.search_vector, to_tsquery('simple', %s))
        FROM candidate JOIN questionbank_question q USING (id)
    """  # noqa: S608 - only numbers of ours; what was typed is in the parameters
    with connection.cursor() as cursor:
        cursor.execute(query, [*parameters, every])
        return [
            (int(pk), int(length), float(nearness), phrases_held, words_held)
            for pk, length, phrases_held, words_held, nearness in cursor.fetchall()
        ]
