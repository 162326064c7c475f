"""Conditions on questions, as SQL.

A search joins dozens of them, in several statements: writing these by Django's query builder took a third of its
processor time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from questionbank.models import Question


@dataclass(frozen=True, slots=True)
class Condition:
    """What a row of ``questionbank_question`` fulfils.

    Attributes:
        sql: stands between other conditions as it is.
        parameters: of its placeholders, in their order; only these hold what people typed.
    """

    sql: str
    parameters: tuple[Any, ...] = ()

    @classmethod
    def of(cls, questions: QuerySet[Question]) -> Condition:
        """Return the condition by which questions were filtered, in a query that joins no other table."""
        try:
            sql, parameters = questions.order_by().values("pk").query.sql_with_params()
        except EmptyResultSet:  # Django sees that none can pass
            return cls("FALSE")
        _selected, _where, condition = sql.partition(" WHERE ")
        return cls(f"({condition})" if condition else "TRUE", parameters)

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"{self.sql} AND {other.sql}", (*self.parameters, *other.parameters))

    def __or__(self, other: Condition) -> Condition:
        return Condition(f"({self.sql} OR {other.sql})", (*self.parameters, *other.parameters))

    def select(self, columns: str = "id", end: str = "") -> str:
        """Return the statement, with `parameters`, that reads columns of the questions that fulfil it.

        Args:
            end: an order and a limit.
        """
        return f"SELECT {columns} FROM questionbank_question WHERE {self.sql} {end}"  # noqa: S608 - ours

    def among(
        self, ids: Sequence[int], conditions: Sequence[Condition], columns: str = "id"
    ) -> list[tuple[Any, ...]]:
        """Return columns of those of a few questions that fulfil it and one of some conditions.

        The few are read first: PostgreSQL would look for all that fulfil the conditions.
        """
        if not conditions:
            return []
        few = self & among(ids)
        sets = " UNION ".join(
            f"SELECT {columns} FROM few AS questionbank_question WHERE {condition.sql}"  # noqa: S608 - ours
            for condition in conditions
        )
        parameters = [value for condition in (few, *conditions) for value in condition.parameters]
        return fetch(f"WITH few AS MATERIALIZED ({few.select('*')}) {sets}", parameters)

    def ids(self, end: str = "") -> list[int]:
        """Return the ids of the questions that fulfil it, with an order and a limit at the end."""
        return [int(row[0]) for row in fetch(self.select(end=end), self.parameters)]

    def questions(self) -> QuerySet[Question]:
        """Return the questions that fulfil it, in no order."""
        return Question.objects.filter(pk__in=RawSQL(self.select(), self.parameters)).order_by()  # noqa: S611


def fetch(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return the rows of a statement."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def among(ids: Iterable[int]) -> Condition:
    """Return that a question is one of these."""
    return Condition("questionbank_question.id = ANY(%s::bigint[])", (list(ids),))


def holding(query: str) -> Condition:
    """Return that a question holds what the query, as `to_tsquery` reads it, asks for."""
    return Condition("questionbank_question.search_vector @@ to_tsquery('simple', %s)", (query,))


def any_of(conditions: Sequence[Condition], passed: Condition) -> Condition:
    """Return that one of the conditions is fulfilled by a question that passed; there must be one."""
    if len(conditions) == 1:
        return conditions[0]
    rows = rows_of_any([passed & condition for condition in conditions])
    return Condition(f"questionbank_question.id IN ({rows.sql})", rows.parameters)


def rows_of_any(conditions: Sequence[Condition], columns: str = "id", limit: int | None = None) -> Condition:
    """Return the statement that reads columns, the id among them, of what fulfils one of the conditions.

    As a union: PostgreSQL reads every question where conditions on several tables are joined by OR.

    Args:
        limit: so many are enough.
    """
    end = "" if limit is None else f"LIMIT {limit}"
    sets = [condition.select(columns, end) for condition in conditions]
    parameters = tuple(value for condition in conditions for value in condition.parameters)
    return Condition(sets[0] if len(sets) == 1 else f"({') UNION ('.join(sets)}) {end}", parameters)
