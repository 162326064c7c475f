"""Conditions on questions, as SQL.

A search joins dozens of them in several statements; building these with Django's query builder took a third of its
CPU time.
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
    """A condition on rows of ``questionbank_question``.

    Attributes:
        sql: can be combined with other conditions without further parentheses.
        parameters: the values of its placeholders, in order; all user input is in these.
    """

    sql: str
    parameters: tuple[Any, ...] = ()

    @classmethod
    def of(cls, questions: QuerySet[Question]) -> Condition:
        """Return the condition of a filtered query that joins no other table."""
        try:
            sql, parameters = questions.order_by().values("pk").query.sql_with_params()
        except EmptyResultSet:  # Django can tell that no row matches
            return cls("FALSE")
        _selected, _where, condition = sql.partition(" WHERE ")
        return cls(f"({condition})" if condition else "TRUE", parameters)

    def __and__(self, other: Condition) -> Condition:
        return Condition(f"{self.sql} AND {other.sql}", (*self.parameters, *other.parameters))

    def __or__(self, other: Condition) -> Condition:
        return Condition(f"({self.sql} OR {other.sql})", (*self.parameters, *other.parameters))

    def select(self, columns: str = "id", end: str = "") -> str:
        """Return the statement that selects columns of the matching questions; its values are `parameters`.

        Args:
            end: an ORDER BY and a LIMIT clause.
        """
        return f"SELECT {columns} FROM questionbank_question WHERE {self.sql} {end}"  # noqa: S608 - ours

    def among(self, ids: Sequence[int], conditions: Sequence[Condition], columns: str = "id") -> list[tuple[Any, ...]]:
        """Return columns of the questions among `ids` that fulfil it and at least one of the conditions.

        These questions are read first; otherwise PostgreSQL would search for all that fulfil the conditions.
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
        """Return the ids of the matching questions, with optional ORDER BY and LIMIT clauses."""
        return [int(row[0]) for row in fetch(self.select(end=end), self.parameters)]

    def questions(self) -> QuerySet[Question]:
        """Return the matching questions, unordered."""
        return Question.objects.filter(pk__in=RawSQL(self.select(), self.parameters)).order_by()  # noqa: S611


def fetch(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Execute a statement and return its rows."""
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


def among(ids: Iterable[int]) -> Condition:
    """Return the condition that a question has one of these ids."""
    return Condition("questionbank_question.id = ANY(%s::bigint[])", (list(ids),))


def holding(query: str) -> Condition:
    """Return the condition that a question matches a full-text query in `to_tsquery` syntax."""
    return Condition("questionbank_question.search_vector @@ to_tsquery('simple', %s)", (query,))


def any_of(conditions: Sequence[Condition], passed: Condition) -> Condition:
    """Return the condition that a question that fulfils `passed` also fulfils one of the conditions (one or more)."""
    if len(conditions) == 1:
        return conditions[0]
    rows = rows_of_any([passed & condition for condition in conditions])
    return Condition(f"questionbank_question.id IN ({rows.sql})", rows.parameters)


def rows_of_any(conditions: Sequence[Condition], columns: str = "id", limit: int | None = None) -> Condition:
    """Return a statement that selects columns, including the id, of rows that fulfil any of the conditions.

    Uses UNION, because PostgreSQL scans every question if conditions on several tables are joined by OR.

    Args:
        limit: the most rows to return.
    """
    end = "" if limit is None else f"LIMIT {limit}"
    sets = [condition.select(columns, end) for condition in conditions]
    parameters = tuple(value for condition in conditions for value in condition.parameters)
    return Condition(sets[0] if len(sets) == 1 else f"({') UNION ('.join(sets)}) {end}", parameters)
