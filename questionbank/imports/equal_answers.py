"""Equivalent answers to equal questions, such as ``1/2`` and ``0.5``, which an import treats as one question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from analytics.text.meaning import same_answer
from questionbank.bank.question_selectors import ANSWER_KEY_SQL

_MOST_COMPARED = 1_000  # pairs of answers compared per import, at some tens of milliseconds each if they are formulas
_MOST_ANSWERS = 8  # per text; a text with more is not a question of its own, such as "Find x."

_SEVERAL_ANSWERS = f"""
    SELECT content_hash, array_agg(answer_key ORDER BY is_staged, place) FROM (
        SELECT q.content_hash, {ANSWER_KEY_SQL.format(answer="q.answer")} AS answer_key,
               false AS is_staged, q.id AS place
        FROM questionbank_question q
        WHERE q.status <> 'retired' AND q.content_hash IN (SELECT content_hash FROM staged_question)
        UNION ALL
        SELECT content_hash, answer_key, true, line FROM staged_question
    ) answers
    WHERE answer_key <> ''
    GROUP BY content_hash HAVING count(DISTINCT answer_key) BETWEEN 2 AND {_MOST_ANSWERS}
    ORDER BY min(place) FILTER (WHERE is_staged)
"""  # noqa: S608 - only names from this module
_UNIFY = """
    UPDATE staged_question s SET answer_key = u.equal
    FROM unnest(%s::bytea[], %s::text[], %s::text[]) AS u(content_hash, answer_key, equal)
    WHERE s.content_hash = u.content_hash AND s.answer_key = u.answer_key
"""

Execute = Callable[..., list[tuple[Any, ...]]]


def unify_answers(execute: Execute) -> None:
    """Replace a staged line's answer key with that of an earlier equivalent answer to the same question.

    Args:
        execute: runs a statement in the transaction that holds `staged_question`.
    """
    if unified := list(_unified(execute(_SEVERAL_ANSWERS))):
        execute(_UNIFY, [list(column) for column in zip(*unified, strict=True)])


def _unified(questions: Iterable[tuple[bytes, list[str]]]) -> Iterator[tuple[bytes, str, str]]:
    """Yield (hash, key, earlier equivalent key)."""
    compared = 0
    for content_hash, keys in questions:
        distinct: list[str] = []
        for key in dict.fromkeys(keys):
            compared += len(distinct)
            if compared > _MOST_COMPARED:
                return
            equal = next((other for other in distinct if same_answer(key, other) == "same"), "")
            if equal:
                yield content_hash, key, equal
            else:
                distinct.append(key)
