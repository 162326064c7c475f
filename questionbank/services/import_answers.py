"""Answers of equal questions that mean the same, ``1/2`` and ``0.5``: the lines of an import are one question then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analytics.text.meaning import same_answer
from questionbank.selectors.questions.questions import ANSWER_KEY_SQL

_MOST_COMPARED = (
    1_000  # pairs of answers in an import, at some tens of milliseconds each where they are formulas
)
_MOST_ANSWERS = 8  # of one text; one with more is no question of its own, such as "Find x."

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
"""  # noqa: S608 - names of this module
_UNIFY = "UPDATE staged_question SET answer_key = %s WHERE content_hash = %s AND answer_key = %s"

Execute = Callable[..., list[tuple[Any, ...]]]


def unify_answers(execute: Execute) -> None:
    """Give staged lines the key of an earlier answer to the same question that means the same as theirs.

    Args:
        execute: runs a statement in the transaction that holds `staged_question`.
    """
    compared = 0
    for content_hash, keys in execute(_SEVERAL_ANSWERS):
        distinct: list[str] = []
        for key in dict.fromkeys(keys):
            compared += len(distinct)
            if compared > _MOST_COMPARED:
                return
            equal = next((other for other in distinct if same_answer(key, other) == "same"), "")
            if equal:
                execute(_UNIFY, [equal, content_hash, key])
            else:
                distinct.append(key)
