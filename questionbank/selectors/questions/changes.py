"""Who changed tags, concepts, roles and settings, and when; what an import did is one entry, and says so.

The triggers of pghistory keep each row as it was before a change. What it became is the row's next event, or the
row as it is now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.urls import reverse

from questionbank.models import (
    BulkChange,
    KnowledgeConcept,
    KnowledgeHierarchy,
    ModelEvent,
    ReviewGuideline,
    Run,
    SynonymGroup,
    User,
)
from questionbank.numbers import counted
from questionbank.selectors.questions.bulk_changes import bulk_change_description

CHANGE_KINDS: Mapping[str, str] = {  # a literal table
    "tags": "Tags",
    "bulk": "Many questions at once",
    "concepts": "Concepts",
    "people": "People and roles",
    "settings": "Settings and models",
    "imports": "Imports",
}
PAGE_SIZE = 50
_MOMENT = timedelta(microseconds=1)
_WINDOW = 300  # events of one table that a page looks at; a change of many rows is one entry


@dataclass(slots=True)
class ChangeEntry:
    """One change; `who` is empty where no person made it, `address` where there is nothing to open."""

    when: datetime
    who: str
    kind: str
    what: str
    address: str = ""
    key: tuple[Any, ...] = ()  # entries with the same key are one change of several rows
    rows: int = 1


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Entries, newest first, and the moment before which the next page begins (None: there is none)."""

    entries: list[ChangeEntry]
    older: datetime | None


def change_page(*, kind: str = "", before: datetime | None = None) -> ChangePage:
    """Return one page of the history of the whole bank."""
    changes = [list(source(before)) for name, source in _SOURCES if kind in ("", name)]
    # A full window may lack events as old as its last one, or older: the next page begins there.
    horizon = max((rows[-1].when + _MOMENT for rows in changes if len(rows) >= _WINDOW), default=None)
    newest = sorted(chain.from_iterable(changes), key=lambda entry: entry.when, reverse=True)
    if horizon is not None and newest[0].when < horizon:
        horizon = newest[0].when  # more at one moment than a page looks at: the rest of it is not shown
    entries: list[ChangeEntry] = []
    for entry in newest:
        if horizon is not None and entry.when < horizon:
            break
        if entries and entry.key and entry.key == entries[-1].key:
            entries[-1].rows += 1
            entries[-1].when = entry.when
        elif len(entries) >= PAGE_SIZE and entry.when < entries[-1].when:
            return ChangePage(entries, entries[-1].when)
        else:
            entries.append(entry)
    return ChangePage(entries, horizon)


def concept_history(*, concept: KnowledgeConcept) -> list[ChangeEntry]:
    """Return what was changed of one concept, newest first."""
    events = _events("KnowledgeConceptEvent", None).filter(pgh_obj_id=concept.pk)
    return list(_concepts(events))


def _events(name: str, before: datetime | None) -> QuerySet[Any]:
    """Return events of one table, newest first, without those for which an undo or a bulk change has one entry."""
    events = (
        apps.get_model("questionbank", name)._default_manager.select_related("pgh_context").order_by("-pk")
    )
    events = events.filter(
        Q(pgh_context=None) | ~Q(pgh_context__metadata__has_any_keys=["run", "bulk_change"])
    )
    return events.filter(pgh_created_at__lt=before) if before else events


def _user_id(event: Any) -> int | None:
    return event.pgh_context.metadata.get("user") if event.pgh_context is not None else None


def _names(ids: Iterable[int | None]) -> dict[int | None, str]:
    """Return the names of people; those who are gone keep the name by which they logged in."""
    user_ids = {pk for pk in ids if pk is not None}
    gone = apps.get_model("questionbank", "UserEvent")._default_manager.filter(pgh_obj_id__in=user_ids)
    names: dict[int | None, str] = dict(gone.order_by("pk").values_list("pgh_obj_id", "username"))
    return names | {user.pk: str(user) for user in User.objects.filter(pk__in=user_ids)}


def _after(events: list[Any], current: Mapping[int, Any]) -> dict[int, Any]:
    """Return the state after each event, by the event's id.

    `events` are newest first and complete from the newest on.
    """
    state: dict[int, Any] = dict(current)
    after = {}
    for event in events:
        after[event.pk] = state.get(event.pgh_obj_id)
        if event.pgh_label != "insert":
            state[event.pgh_obj_id] = event
    return after


def _tags(before: datetime | None) -> Iterable[ChangeEntry]:
    events = list(_events("QuestionTagEvent", before)[:_WINDOW])
    people = _names(map(_user_id, events))
    concepts = _concept_names(event.concept_id for event in events)
    for event in events:
        number, concept = event.question_id, concepts.get(event.concept_id, "?")
        sentences = {
            "insert": f"tagged question {number} with “{concept}”",
            "update": f"changed the tag “{concept}” of question {number}",
            "delete": f"removed the tag “{concept}” from question {number}",
        }
        yield ChangeEntry(
            event.pgh_created_at,
            people.get(_user_id(event), ""),
            "tags",
            sentences[event.pgh_label],
            reverse("question_detail", args=[event.question_id]),
            key=_key(event),
        )


def _key(event: Any) -> tuple[Any, ...]:
    return (type(event), event.pgh_label, event.pgh_context_id) if event.pgh_context_id else ()


def _concept_names(ids: Iterable[int]) -> dict[int, str]:
    concept_ids = set(ids)
    gone = apps.get_model("questionbank", "KnowledgeConceptEvent")._default_manager
    names = dict(gone.filter(pgh_obj_id__in=concept_ids).order_by("pk").values_list("pgh_obj_id", "name"))
    return names | dict(KnowledgeConcept.objects.filter(pk__in=concept_ids).values_list("pk", "name"))


def _all_concepts(before: datetime | None) -> Iterable[ChangeEntry]:
    return _concepts(_events("KnowledgeConceptEvent", before))


def _concepts(rows: QuerySet[Any]) -> Iterable[ChangeEntry]:
    events = list(rows[:_WINDOW])
    people = _names(map(_user_id, events))
    current = KnowledgeConcept.objects.in_bulk([event.pgh_obj_id for event in events])
    after = _after_of("KnowledgeConceptEvent", events, current)
    for event in events:
        address = reverse("concept_detail", args=[event.pgh_obj_id]) if event.pgh_obj_id in current else ""
        yield ChangeEntry(
            event.pgh_created_at,
            people.get(_user_id(event), ""),
            "concepts",
            _concept_sentence(event, after[event.pk]),
            address,
            key=_key(event),
        )


def _after_of(name: str, events: list[Any], current: Mapping[int, Any]) -> dict[int, Any]:
    """Return the same as `_after`, with later events of the same rows, which an older page does not show."""
    if not events:
        return {}
    model = apps.get_model("questionbank", name)
    later = model._default_manager.filter(
        pgh_obj_id__in=[event.pgh_obj_id for event in events], pk__gt=events[-1].pk
    )
    return _after([*later.order_by("-pk"), events[-1]], current)


def _concept_sentence(event: Any, after: Any) -> str:
    if event.pgh_label == "insert":
        return f"added the concept “{event.name}”"
    if event.pgh_label == "delete":
        return f"deleted the concept “{event.name}”"
    if after and after.name != event.name:
        return f"renamed the concept “{event.name}” to “{after.name}”"
    return f"moved the concept “{event.name}”"


def _hierarchies(before: datetime | None) -> Iterable[ChangeEntry]:
    events = list(_events("KnowledgeHierarchyEvent", before)[:_WINDOW])
    people = _names(map(_user_id, events))
    current = KnowledgeHierarchy.objects.in_bulk([event.pgh_obj_id for event in events])
    after = _after_of("KnowledgeHierarchyEvent", events, current)
    for event in events:
        following = after[event.pk]
        if event.pgh_label == "insert":
            what = f"added the hierarchy “{event.name}”"
        elif event.pgh_label == "delete":
            what = f"deleted the hierarchy “{event.name}”"
        elif following and following.name != event.name:
            what = f"renamed the hierarchy “{event.name}” to “{following.name}”"
        elif following and following.is_default and not event.is_default:
            what = f"made the hierarchy “{event.name}” the bank's default"
        else:
            what = f"changed the hierarchy “{event.name}”"
        yield ChangeEntry(event.pgh_created_at, people.get(_user_id(event), ""), "concepts", what)


def _accounts(before: datetime | None) -> Iterable[ChangeEntry]:
    events = list(_events("UserEvent", before)[:_WINDOW])
    people = _names(chain(map(_user_id, events), (event.pgh_obj_id for event in events)))
    current = User.objects.in_bulk([event.pgh_obj_id for event in events])
    after = _after_of("UserEvent", events, current)
    for event in events:
        following = after[event.pk]
        if event.pgh_label == "insert":
            what = f"added {event.username}"
        elif event.pgh_label == "delete":
            what = f"deleted {event.username}"
        elif event.pgh_label == "password_link":
            what = f"made a link for {event.username} to choose a new password"
        elif event.pgh_label == "second_factor_removed":
            what = f"removed the second factor of {event.username}"
        elif following and following.is_active != event.is_active:
            what = f"{'reopened' if following.is_active else 'closed'} the account of {event.username}"
        else:
            what = f"changed the account of {event.username}"
        yield ChangeEntry(event.pgh_created_at, people.get(_user_id(event), ""), "people", what)


def _roles(before: datetime | None) -> Iterable[ChangeEntry]:
    events = list(_events("UserRoleEvent", before)[:_WINDOW])
    people = _names(chain(map(_user_id, events), (event.user_id for event in events)))
    roles = dict(Group.objects.values_list("pk", "name"))
    for event in events:
        person, role = people.get(event.user_id, "?"), roles.get(event.group_id, "?")
        given = event.pgh_label == "insert"
        what = f"gave {person} the role {role}" if given else f"took the role {role} from {person}"
        yield ChangeEntry(event.pgh_created_at, people.get(_user_id(event), ""), "people", what)


def _synonyms(before: datetime | None) -> Iterable[ChangeEntry]:
    events = list(_events("SynonymGroupEvent", before)[:_WINDOW])
    people = _names(map(_user_id, events))
    current = SynonymGroup.objects.in_bulk([event.pgh_obj_id for event in events])
    after = _after_of("SynonymGroupEvent", events, current)
    for event in events:
        following = after[event.pk]
        terms = ", ".join(event.terms)
        sentences = {
            "insert": f"added the synonyms {terms}",
            "update": f"changed the synonyms {terms} to {', '.join(following.terms) if following else ''}",
            "delete": f"deleted the synonyms {terms}",
        }
        yield ChangeEntry(
            event.pgh_created_at,
            people.get(_user_id(event), ""),
            "settings",
            sentences[event.pgh_label],
            key=_key(event),
        )


def _models(before: datetime | None) -> Iterable[ChangeEntry]:
    events = ModelEvent.objects.select_related("person").order_by("-pk")
    for event in (events.filter(created_at__lt=before) if before else events)[:_WINDOW]:
        yield ChangeEntry(
            event.created_at,
            str(event.person or ""),
            "settings",
            f"{event.get_kind_display().lower()} the model {event.artifact_name}",
            reverse("model_history", args=[event.capability]),
        )


def _guidelines(before: datetime | None) -> Iterable[ChangeEntry]:
    versions = ReviewGuideline.objects.select_related("created_by").order_by("-pk")
    for guideline in (versions.filter(created_at__lt=before) if before else versions)[:_WINDOW]:
        yield ChangeEntry(
            guideline.created_at,
            str(guideline.created_by or ""),
            "settings",
            f"wrote version {guideline.version} of the review guidelines",
            reverse("review_guidelines"),
        )


def _bulk_changes(before: datetime | None, *, of_concepts: bool) -> Iterable[ChangeEntry]:
    """Yield bulk changes and their undoing; those of concepts belong to the tags."""
    changes = BulkChange.objects.select_related("person", "undone_by").filter(applied_at__isnull=False)
    concepts = Q(kind=BulkChange.Kind.CONCEPTS)
    changes = changes.filter(concepts if of_concepts else ~concepts).order_by("-created_at")
    kind = "tags" if of_concepts else "bulk"
    rows = list((changes.filter(created_at__lt=before) if before else changes)[:_WINDOW])
    names = _concept_names(
        row.values[name] for row in rows for name in ("add", "remove") if row.values.get(name)
    )
    for change in rows:
        description = bulk_change_description(change.kind, change.values, names)
        questions = counted(change.changed, "question", "questions")
        address = reverse("bulk_change_detail", args=[change.pk])
        if change.undone_at is not None and (before is None or change.undone_at < before):
            undone = f"undid “{description}” for {questions}"
            yield ChangeEntry(change.undone_at, str(change.undone_by or ""), kind, undone, address)
        sentence = f"changed {questions}: {description}"
        yield ChangeEntry(change.created_at, str(change.person or ""), kind, sentence, address)


def _imports(before: datetime | None) -> Iterable[ChangeEntry]:
    done = Run.objects.filter(state=Run.State.SUCCEEDED, kind__in=(Run.Kind.IMPORT, Run.Kind.UNDO))
    done = done.filter(Q(kind=Run.Kind.UNDO) | Q(result__written=True))
    done = done.select_related("requested_by").order_by("-finished_at")
    for run in (done.filter(finished_at__lt=before) if before else done)[:_WINDOW]:
        if run.kind == Run.Kind.IMPORT:
            created = counted(run.result.get("created", 0), "question", "questions")
            sentence = f"imported {created} from {run.result.get('name') or run.title}"
        else:
            removed = counted(run.result.get("removed", 0), "question", "questions")
            sentence = f"undid an import and removed {removed}"
        yield ChangeEntry(
            run.finished_at or run.created_at,
            str(run.requested_by or ""),
            "imports",
            sentence,
            reverse("run_detail", args=[run.pk]),
        )


_SOURCES: tuple[tuple[str, Callable[[datetime | None], Iterable[ChangeEntry]]], ...] = (  # a literal table
    ("tags", _tags),
    ("tags", partial(_bulk_changes, of_concepts=True)),
    ("bulk", partial(_bulk_changes, of_concepts=False)),
    ("concepts", _all_concepts),
    ("concepts", _hierarchies),
    ("people", _accounts),
    ("people", _roles),
    ("settings", _synonyms),
    ("settings", _models),
    ("settings", _guidelines),
    ("imports", _imports),
)
