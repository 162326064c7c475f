"""Search filters, which can be combined and stored in a URL, and the conditions on questions that they stand for.

A search joins dozens of conditions in several statements. They are written as SQL, because building them with Django's
query builder took a third of a search's CPU time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.contrib.postgres.search import SearchQuery
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL
from django.utils import timezone

from analytics.text.question_tasks import TASKS
from questionbank.bank.search_index import task_token
from questionbank.core.wording import whole_number, whole_numbers
from questionbank.models import KnowledgeConcept, Question, QuestionTag, QuestionUse, User
from questionbank.people.permissions import is_admin


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


ANY_STATUS = "any"
FIGURES = ("needed", "none")
NUMBERS = ("drawn", "given")
USED = {"not_year": "not used in the last year", "never": "never used", "year": "used in the last year"}
COMBINED = ("concepts_all", "concepts_any", "concepts_none")
MOST_COMBINED = 20  # concepts in each of them
_LONGEST = {"grade": 40, "kind": 12, "language": 12, "source": 120, "status": 12}


@dataclass(frozen=True, slots=True)
class SearchFilters:
    """Filters of a search; an empty filter lets everything pass.

    Attributes:
        concept: id of a concept; questions tagged with it or with any descendant pass. The search page lists the
            concepts below it.
        concepts_all: ids of concepts; questions pass that are tagged with each of them or a descendant of each.
        concepts_any: questions pass that are tagged with at least one of them or of their descendants.
        concepts_none: questions pass that are tagged neither with one of them nor with a descendant.
        difficulty_min: per cent, inclusive; questions without a known difficulty do not pass.
        status: ``"ready"`` (the default of a search), ``"draft"``, ``"retired"`` or ``"any"``.
        viewer: id of the person who searches, from whom others' drafts are hidden; see `seen_by`. Never part of a
            URL.
        figure: ``"needed"`` for questions with a figure that the bank does not have, ``"none"`` for all others.
        task: one of `analytics.text.question_tasks.TASKS`.
        numbers: ``"drawn"`` for templates with numbers drawn by their source, ``"given"`` for all others.
        used: ``"not_year"`` for questions on no worksheet of the last year, ``"never"`` for those never on a
            worksheet, ``"year"`` for those on a worksheet of the last year.
    """

    concept: int | None = None
    concepts_all: tuple[int, ...] = ()
    concepts_any: tuple[int, ...] = ()
    concepts_none: tuple[int, ...] = ()
    difficulty_min: float | None = None
    difficulty_max: float | None = None
    grade: str = ""
    kind: str = ""
    language: str = ""
    source: str = ""
    status: str = Question.Status.READY.value
    owner: int | None = None
    figure: str = ""
    task: str = ""
    numbers: str = ""
    used: str = ""
    viewer: int | None = None

    @classmethod
    def from_querydict(cls, given: Mapping[str, str]) -> SearchFilters:
        """Parse URL parameters; invalid values are dropped, and swapped bounds are put in order."""
        low, high = _percent(given.get("difficulty_min")), _percent(given.get("difficulty_max"))
        if low is not None and high is not None and low > high:
            low, high = high, low
        return cls(
            concept=whole_number(given.get("concept") or ""),
            concepts_all=_concepts(given, "concepts_all"),
            concepts_any=_concepts(given, "concepts_any"),
            concepts_none=_concepts(given, "concepts_none"),
            difficulty_min=low,
            difficulty_max=high,
            grade=_word(given, "grade"),
            kind=_one_of(_word(given, "kind"), Question.Kind.values, ""),
            language=_word(given, "language"),
            source=_word(given, "source"),
            status=_one_of(_word(given, "status"), (*Question.Status.values, ANY_STATUS), Question.Status.READY.value),
            owner=whole_number(given.get("owner") or ""),
            figure=_one_of(given.get("figure") or "", FIGURES, ""),
            task=_one_of(given.get("task") or "", TASKS, ""),
            numbers=_one_of(given.get("numbers") or "", NUMBERS, ""),
            used=_one_of(given.get("used") or "", tuple(USED), ""),
        )

    def to_query(self) -> dict[str, str]:
        """Return the URL parameters for these filters; empty filters are left out."""
        default = SearchFilters()
        return {
            field.name: _written(value)
            for field in fields(self)
            if field.name != "viewer" and (value := getattr(self, field.name)) != getattr(default, field.name)
        }

    def seen_by(self, user: User) -> SearchFilters:
        """Return the same filters for this person; only admins see others' drafts."""
        return replace(self, viewer=None if is_admin(user) else user.pk)

    @property
    def required_concepts(self) -> tuple[int, ...]:
        """Ids of the concepts that a question must all have, as tags of their own or of a descendant."""
        return tuple(dict.fromkeys(self.concepts_all if self.concept is None else (*self.concepts_all, self.concept)))

    @property
    def named_concepts(self) -> frozenset[int]:
        """Ids of all concepts in the filters."""
        return frozenset((*self.required_concepts, *self.concepts_any, *self.concepts_none))

    @property
    def for_everybody(self) -> SearchFilters:
        """The same filters without the viewer, if they exclude drafts anyway."""
        shows_drafts = self.status in (Question.Status.DRAFT, ANY_STATUS)
        return self if shows_drafts else replace(self, viewer=None)

    @property
    def is_default(self) -> bool:
        """Whether these are a search's default filters: all ready questions."""
        return self.for_everybody == SearchFilters()


def filtered_questions(filters: SearchFilters) -> QuerySet[Question]:
    """Return the questions that pass, unordered."""
    passed = Q()
    if filters.status != ANY_STATUS:
        passed &= Q(status=filters.status)
    if filters.difficulty_min is not None:
        passed &= Q(difficulty_percent__gte=filters.difficulty_min)
    if filters.difficulty_max is not None:
        passed &= Q(difficulty_percent__lte=filters.difficulty_max)
    for name in ("grade", "kind", "language", "source"):
        if value := getattr(filters, name):
            passed &= Q(**{name: value})
    if filters.owner is not None:
        passed &= Q(created_by=filters.owner)
    if (viewer := filters.for_everybody.viewer) is not None:
        passed &= ~Q(status=Question.Status.DRAFT) | Q(created_by=viewer)
    if filters.task:
        # Uses the full-text index, which has a token per task.
        token = SearchQuery(task_token(filters.task), search_type="raw", config="simple")
        passed &= Q(search_vector=token)
    return Question.objects.filter(passed & _about(filters) & _marked(filters)).order_by()


def passing(filters: SearchFilters) -> Condition:
    """Return the condition that a question passes the filters."""
    return Condition.of(filtered_questions(filters))


def concept_nodes(concepts: Iterable[int]) -> dict[int, str]:
    """Return the materialised paths of concepts by id; deleted concepts are left out."""
    return dict(KnowledgeConcept.objects.filter(pk__in=set(concepts)).values_list("pk", "path"))


def _about(filters: SearchFilters) -> Q:
    """Return the condition for the concepts."""
    if not filters.named_concepts:
        return Q()
    nodes = concept_nodes(filters.named_concepts)
    passed = Q()
    for concept in filters.required_concepts:
        passed &= _tagged_below([concept], nodes)
    if filters.concepts_any:
        passed &= _tagged_below(filters.concepts_any, nodes)
    if filters.concepts_none:
        passed &= ~_tagged_below(filters.concepts_none, nodes)
    return passed


def _tagged_below(concepts: Iterable[int], nodes: Mapping[int, str]) -> Q:
    """Return the condition that a question is tagged with one of the concepts or a descendant."""
    below = [Q(concept__path__startswith=nodes[concept]) for concept in concepts if concept in nodes]
    tags = QuestionTag.objects.filter(reduce(or_, below)) if below else QuestionTag.objects.none()
    return Q(pk__in=tags.values("question_id"))


def _marked(filters: SearchFilters) -> Q:
    """Return the condition for the filters on marks and uses.

    Uses small indexes of the marked questions, because the index for the other filters does not include marks. These
    do not hold the audience either, by which `filtered_questions` filters.
    """
    passed = Q()
    if filters.figure:
        needed = Q(pk__in=Question.unrestricted.filter(needs_figure=True).values("pk"))
        passed &= needed if filters.figure == "needed" else ~needed
    if filters.numbers:
        drawn = Q(pk__in=Question.unrestricted.filter(draws_numbers=True).values("pk"))
        passed &= drawn if filters.numbers == "drawn" else ~drawn
    if filters.used:
        uses = QuestionUse.objects.all()
        if filters.used != "never":
            uses = uses.filter(day__gte=timezone.localdate() - timedelta(days=365))
        used = Q(pk__in=uses.order_by().values("question"))
        passed &= used if filters.used == "year" else ~used
    return passed


def _word(given: Mapping[str, str], name: str) -> str:
    return (given.get(name) or "").replace("\x00", "").strip()[: _LONGEST[name]]


def _concepts(given: Mapping[str, str], name: str) -> tuple[int, ...]:
    """Parse the ids of concepts, separated by commas, each once."""
    return tuple(dict.fromkeys(whole_numbers(given.get(name) or "")))[:MOST_COMBINED]


def _written(value: object) -> str:
    """Return a filter's value as it is written in a URL."""
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _one_of(value: str, choices: tuple[str, ...] | list[str], default: str) -> str:
    return value if value in choices else default


def _percent(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return min(100.0, max(0.0, value)) if math.isfinite(value) else None
