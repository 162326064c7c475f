"""Who changed a question and when, and its earlier states, which also show where its series of responses begins.

The triggers of pghistory store a row's state before each change, so a change is the difference between a
snapshot and the next one; after the last snapshot comes the question's current state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import Max, Model, QuerySet

from questionbank.models import KnowledgeConcept, Question, ResponseSeries, School, User
from questionbank.models.visibility import Shown
from questionbank.people.school_selectors import NAMES

_LATEST = 20  # number of changes shown
_MOVES = 5
SHOWN_FIELDS = (
    "text",
    "options",
    "answer",
    "solution",
    "content",
    "language",
    "kind",
    "source",
    "grade",
    "stage",
    "status",
    "visibility",
    "school_id",
    "difficulty",
    "difficulty_scale",
    "facility",
    "responses",
)


REVERTED_FIELDS = ("text", "language", "kind", "options", "answer", "solution", "content", "grade")
"""The fields restored with an earlier version; the status has its own buttons, and figures are separate files."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field's value before and after a change; `is_reverted` if the earlier value can be restored."""

    field: str
    before: str
    after: str
    is_reverted: bool = False


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One change of a question; `who` is empty if no person made it (an import, a job).

    Attributes:
        event: id of the event, if the question can be restored to the state before it; else None.
    """

    when: datetime
    who: str
    changes: tuple[FieldChange, ...]
    event: int | None = None


_Change = tuple[Any, tuple[FieldChange, ...]]
"""An event of the history and the fields it changed."""


# Few questions were changed after import. Raw SQL: Django takes longer to build the query than PostgreSQL to answer it.
_HAS_CHANGED = """
    SELECT EXISTS (SELECT FROM questionbank_questionevent WHERE pgh_obj_id = %(pk)s AND pgh_label = 'update'),
        EXISTS (SELECT FROM questionbank_questiontagevent
            WHERE question_id = %(pk)s AND pgh_label IN ('insert', 'delete')),
        EXISTS (SELECT FROM questionbank_questionequationevent WHERE question_id = %(pk)s)
"""


def question_history(*, question: Question) -> list[HistoryEntry]:
    """Return the latest changes of a question, newest first."""
    with connection.cursor() as cursor:
        cursor.execute(_HAS_CHANGED, {"pk": question.pk})
        has_changed = cursor.fetchone() or ()
    readers = (_question_changes, _tag_changes, _equation_changes)
    changes = [change for read, has in zip(readers, has_changed, strict=True) if has for change in read(question)]
    latest = sorted(changes, key=lambda change: change[0].pgh_created_at, reverse=True)[:_LATEST]
    people = names_of(user_of(event) for event, _fields in latest)
    return [
        HistoryEntry(
            event.pgh_created_at,
            actor_of(event, people),
            fields,
            event.pk if any(change.is_reverted for change in fields) else None,
        )
        for event, fields in latest
    ]


def user_of(event: Any) -> int | None:
    """Return the id of the person behind an event; None for an import or a job."""
    return event.pgh_context.metadata.get("user") if event.pgh_context is not None else None


def actor_of(event: Any, people: Mapping[int | None, str]) -> str:
    """Return the person behind an event, with “through KEY” if they used a program; empty for an import or a job.

    Args:
        people: names by id.
    """
    key = event.pgh_context.metadata.get("api_key") if event.pgh_context is not None else None
    return people.get(user_of(event), "") + (f" through {key}" if key else "")


def names_of(ids: Iterable[int | None]) -> dict[int | None, str]:
    """Return the names of people who have an account, by id."""
    user_ids = {pk for pk in ids if pk is not None}
    return {user.pk: str(user) for user in User.objects.filter(pk__in=user_ids)} if user_ids else {}


@dataclass(frozen=True, slots=True)
class Move:
    """A change to who sees a row.

    Attributes:
        undo: who saw it before, as `questionbank.people.school_selectors` writes it; empty if that school was deleted.
    """

    when: datetime
    who: str
    before: str
    after: str
    undo: str


def row_moves(row: Shown) -> list[Move]:
    """Return the latest changes to who sees a list, worksheet, test paper or set of responses, newest first."""
    events = list(row.moves.select_related("pgh_context").order_by("-pgh_id")[:_MOVES])  # type: ignore[attr-defined]
    if not events:
        return []
    people = names_of(map(user_of, events))
    schools = {school.pk: (school.slug, school.name) for school in School.objects.all()}

    def shown(state: Any) -> tuple[str, str]:
        name = NAMES.get(state.visibility)
        return (state.visibility, name) if name else schools.get(state.school_id, ("", "a deleted school"))

    return [
        Move(event.pgh_created_at, actor_of(event, people), shown(event)[1], shown(later)[1], undo=shown(event)[0])
        for event, later in zip(events, [row, *events], strict=False)
    ]


def states_after(events: list[Any], model: type[Model]) -> tuple[dict[int, Any], dict[int, Any]]:
    """Return the current rows by id, and the rows as they were after each event, by event id.

    Args:
        events: events of one table, newest first.
    """
    if not events:
        return {}, {}
    ids = [event.pgh_obj_id for event in events]
    current: dict[int, Any] = model._default_manager.in_bulk(ids)
    state, after = dict(current), {}
    later = type(events[0])._default_manager.filter(pgh_obj_id__in=ids, pk__gte=min(event.pk for event in events))
    for event in later.order_by("-pk"):  # an older page shows only some of them
        after[event.pk] = state.get(event.pgh_obj_id)
        if event.pgh_label != "insert":
            state[event.pgh_obj_id] = event
    return current, after


def _latest(events: QuerySet[Any]) -> list[Any]:
    return list(events.select_related("pgh_context").order_by("-pgh_id")[:_LATEST])


def _question_changes(question: Question) -> Iterator[_Change]:
    after: Any = question
    updates = question.events.filter(pgh_label="update")  # type: ignore[attr-defined]
    for snapshot in _latest(updates):
        if changes := tuple(_changes(snapshot, after)):
            yield snapshot, changes
        after = snapshot


def _tag_changes(question: Question) -> Iterator[_Change]:
    """Yield the tags that people and models added or removed; tags from an import are not changes."""
    tag_events = apps.get_model("questionbank", "QuestionTagEvent")._default_manager
    events = _latest(tag_events.filter(question_id=question.pk, pgh_label__in=("insert", "delete")))
    concepts = KnowledgeConcept.objects.in_bulk([event.concept_id for event in events])
    for event in events:
        name = str(concepts.get(event.concept_id, "a deleted concept"))
        before, after = ("", name) if event.pgh_label == "insert" else (name, "")
        yield event, (FieldChange(field="concept", before=before, after=after),)


def _equation_changes(question: Question) -> Iterator[_Change]:
    """Yield edits of the question's equation by people; an equation from an import is not a change."""
    equation_events = apps.get_model("questionbank", "QuestionEquationEvent")._default_manager
    equation = getattr(question, "equation", None)
    after = equation.expression if equation is not None else ""
    for event in _latest(equation_events.filter(question_id=question.pk)):
        if event.pgh_label == "insert":
            before, after = "", event.expression
        elif event.pgh_label == "delete":
            before, after = event.expression, ""
        else:
            before = event.expression
        if before != after:
            yield event, (FieldChange(field="equation", before=before, after=after),)
        after = before


def _changes(before: Any, after: Any) -> Iterable[FieldChange]:
    for name in SHOWN_FIELDS:
        if getattr(before, name) != getattr(after, name):
            was, is_now = (field_shown(name, getattr(row, name)) for row in (before, after))
            yield FieldChange(field_label(name), was, is_now, is_reverted=name in REVERTED_FIELDS)


def content_shown(value: Any, indent: str = "") -> str:
    """Return a question's grading content as lines of text, whatever its fields."""
    if isinstance(value, dict):
        lines = (
            f"{indent}{name.replace('_', ' ')}: {content_shown(part, indent + '  ').lstrip(' ')}"
            if not isinstance(part, dict | list)
            else f"{indent}{name.replace('_', ' ')}:\n{content_shown(part, indent + '  ')}"
            for name, part in value.items()
            if name not in ("pictures", "original")
        )
        return "\n".join(lines)
    if isinstance(value, list):
        return "\n".join(content_shown(part, indent) if isinstance(part, dict) else f"{indent}{part}" for part in value)
    return f"{indent}{value}"


def field_label(name: str) -> str:
    """Return what pages call a field of a question."""
    column: Any = Question._meta.get_field(name)
    return str(column.verbose_name)


def field_shown(name: str, value: Any) -> str:
    """Return a field's value as readable text."""
    if name == "content":
        return content_shown(value or {})
    if name == "school_id":
        school = School.objects.filter(pk=value).first()
        return "" if value is None else str(school or "a deleted school")
    if name == "options":
        return "\n".join(f"{option.get('label', '')}. {option.get('text', '')}" for option in value or [])
    choices = dict(Question._meta.get_field(name).flatchoices)  # type: ignore[union-attr]
    return str(choices.get(value, "" if value is None else value))


def series_starts(questions: Iterable[int]) -> dict[int, int]:
    """Return the first version of each question's current series, for the questions with more than one series."""
    rows = ResponseSeries.objects.filter(question__in=list(questions))
    return dict(rows.values_list("question_id").annotate(Max("version")))


def questions_on(questions: Iterable[int], day: date) -> dict[int, Any]:
    """Return the questions changed after a day as they were at the end of it: rows of the history, by question id.

    A question that was not yet in the bank is returned as it first was.
    """
    later = _updates().filter(pgh_obj_id__in=list(questions), pgh_created_at__date__gt=day)
    return {event.pgh_obj_id: event for event in later.order_by("pgh_obj_id", "pk").distinct("pgh_obj_id")}


def question_states(question: int, *, since: int) -> list[Any]:
    """Return the earlier states of a question from a given version onwards, as rows of the history, oldest first."""
    return list(_updates().filter(pgh_obj_id=question, version__gte=since).order_by("pk"))


def _updates() -> Any:
    """Return the rows of the history of questions; each is a question as it was before a change."""
    return apps.get_model("questionbank", "QuestionEvent")._default_manager.filter(pgh_label="update")
