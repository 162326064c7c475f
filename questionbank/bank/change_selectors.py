"""History of changes to tags, concepts, roles and settings; an import is a single entry, marked as one.

The triggers of pghistory store each row as it was before a change. The new state is the row's next event, or its
current state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group
from django.db.models import Q, QuerySet
from django.urls import reverse

from questionbank.bank.bulk_selectors import bulk_change_description
from questionbank.bank.history_selectors import actor_of, names_of, states_after, user_of
from questionbank.core.wording import counted
from questionbank.models import (
    BulkChange,
    KnowledgeConcept,
    KnowledgeHierarchy,
    ModelEvent,
    ReviewGuideline,
    Run,
    School,
    SynonymGroup,
    User,
)

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
_WINDOW = 300  # events of one table that a page reads; a change of many rows is one entry


@dataclass(slots=True)
class ChangeEntry:
    """One change; `who` is empty if no person made it, `address` if there is no page to open."""

    when: datetime
    who: str
    kind: str
    what: str
    address: str = ""
    key: tuple[Any, ...] = ()  # entries with the same key are one change of several rows
    rows: int = 1


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Entries, newest first, and the time before which the next page begins (None on the last page)."""

    entries: list[ChangeEntry]
    older: datetime | None


def change_page(*, kind: str = "", before: datetime | None = None) -> ChangePage:
    """Return one page of the history of the whole bank."""
    changes = [list(source(before)) for name, source in _SOURCES if kind in ("", name)]
    # A full window may omit events as old as its last one, or older: the next page begins there.
    horizon = max((rows[-1].when + _MOMENT for rows in changes if len(rows) >= _WINDOW), default=None)
    newest = sorted(chain.from_iterable(changes), key=lambda entry: entry.when, reverse=True)
    if horizon is not None and newest[0].when < horizon:
        horizon = newest[0].when  # more events at one instant than a page reads: the rest is not shown
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
    """Return the changes of one concept, newest first."""
    return list(_concepts(None, pgh_obj_id=concept.pk))


def _events(name: str, before: datetime | None, **only: int) -> list[Any]:
    """Return the latest events of one table, except those that belong to an undo's or a bulk change's single entry."""
    events = apps.get_model("questionbank", f"{name}Event")._default_manager.select_related("pgh_context")
    ours = Q(pgh_context=None) | ~Q(pgh_context__metadata__has_any_keys=["run", "bulk_change"])
    return _window(events.filter(ours, **only).order_by("-pk"), "pgh_created_at", before)


def _window(rows: QuerySet[Any], moment: str, before: datetime | None) -> list[Any]:
    return list((rows.filter(**{f"{moment}__lt": before}) if before else rows)[:_WINDOW])


def _entries(
    events: list[Any],
    kind: str,
    what: Callable[[Any], str],
    address: Callable[[Any], str] = lambda _event: "",
    *,
    is_joined: bool = False,
) -> Iterator[ChangeEntry]:
    """Yield an entry for each event; with `is_joined`, the entries of one change share a key."""
    people = _names(map(user_of, events))
    for event in events:
        key = (type(event), event.pgh_label, event.pgh_context_id) if is_joined and event.pgh_context_id else ()
        who = actor_of(event, people)
        yield ChangeEntry(event.pgh_created_at, who, kind, what(event), address(event), key=key)


def _names(ids: Iterable[int | None]) -> dict[int | None, str]:
    """Return people's names; deleted people are shown by their username."""
    user_ids = {pk for pk in ids if pk is not None}
    gone = apps.get_model("questionbank", "UserEvent")._default_manager.filter(pgh_obj_id__in=user_ids)
    return dict(gone.order_by("pk").values_list("pgh_obj_id", "username")) | names_of(user_ids)


def _tags(before: datetime | None) -> Iterable[ChangeEntry]:
    events = _events("QuestionTag", before)
    concepts = concept_names_kept(event.concept_id for event in events)

    def what(event: Any) -> str:
        number, concept = event.question_id, concepts.get(event.concept_id, "?")
        return {
            "insert": f"tagged question {number} with “{concept}”",
            "update": f"changed the tag “{concept}” of question {number}",
            "delete": f"removed the tag “{concept}” from question {number}",
        }[event.pgh_label]

    def address(event: Any) -> str:
        return reverse("question_detail", args=[event.question_id])

    return _entries(events, "tags", what, address, is_joined=True)


def concept_names_kept(ids: Iterable[int]) -> dict[int, str]:
    """Return the names of concepts by id; deleted concepts are shown by their last name."""
    concept_ids = set(ids)
    gone = apps.get_model("questionbank", "KnowledgeConceptEvent")._default_manager
    names = dict(gone.filter(pgh_obj_id__in=concept_ids).order_by("pk").values_list("pgh_obj_id", "name"))
    return names | dict(KnowledgeConcept.objects.filter(pk__in=concept_ids).values_list("pk", "name"))


def _concepts(before: datetime | None, **only: int) -> Iterable[ChangeEntry]:
    events = _events("KnowledgeConcept", before, **only)
    current, after = states_after(events, KnowledgeConcept)

    def what(event: Any) -> str:
        following = after[event.pk]
        if event.pgh_label == "update" and following and following.name != event.name:
            return f"renamed the concept “{event.name}” to “{following.name}”"
        did = {"insert": "added", "delete": "deleted"}.get(event.pgh_label, "moved")
        return f"{did} the concept “{event.name}”"

    def address(event: Any) -> str:
        number = event.pgh_obj_id
        return reverse("concept_detail", args=[number]) if number in current else ""

    return _entries(events, "concepts", what, address, is_joined=True)


def _hierarchies(before: datetime | None) -> Iterable[ChangeEntry]:
    events = _events("KnowledgeHierarchy", before)
    _current, after = states_after(events, KnowledgeHierarchy)

    def what(event: Any) -> str:
        following = after[event.pk]
        if event.pgh_label == "update" and following and following.name != event.name:
            return f"renamed the hierarchy “{event.name}” to “{following.name}”"
        if event.pgh_label == "update" and following and following.is_default and not event.is_default:
            return f"made the hierarchy “{event.name}” the bank's default"
        did = {"insert": "added", "delete": "deleted"}.get(event.pgh_label, "changed")
        return f"{did} the hierarchy “{event.name}”"

    return _entries(events, "concepts", what)


def _accounts(before: datetime | None) -> Iterable[ChangeEntry]:
    events = _events("User", before)
    _current, after = states_after(events, User)

    def what(event: Any) -> str:
        following = after[event.pk]
        sentences = {
            "insert": f"added {event.username}",
            "delete": f"deleted {event.username}",
            "password_link": f"made a link for {event.username} to choose a new password",
            "second_factor_removed": f"removed the second factor of {event.username}",
            "session_ended": f"ended a session of {event.username}",
        }
        did = "changed"
        if following and following.is_active != event.is_active:
            did = "reopened" if following.is_active else "closed"
        return sentences.get(event.pgh_label, f"{did} the account of {event.username}")

    return _entries(events, "people", what)


def _roles(before: datetime | None) -> Iterable[ChangeEntry]:
    events = _events("UserRole", before)
    people = _names(event.user_id for event in events)
    roles = dict(Group.objects.values_list("pk", "name"))

    def what(event: Any) -> str:
        person, role = people.get(event.user_id, "?"), roles.get(event.group_id, "?")
        is_given = event.pgh_label == "insert"
        return f"gave {person} the role {role}" if is_given else f"took the role {role} from {person}"

    return _entries(events, "people", what)


def _schools(before: datetime | None) -> Iterable[ChangeEntry]:
    events = _events("School", before)
    current, after = states_after(events, School)

    def what(event: Any) -> str:
        following = after[event.pk]
        return {
            "insert": f"added the school “{event.name}”",
            "update": f"renamed the school “{event.name}” to “{following.name if following else ''}”",
            "delete": f"deleted the school “{event.name}”",
        }[event.pgh_label]

    def address(event: Any) -> str:
        return reverse("school_detail", args=[event.pgh_obj_id]) if event.pgh_obj_id in current else ""

    return _entries(events, "people", what, address)


def _memberships(before: datetime | None) -> Iterable[ChangeEntry]:
    events = _events("SchoolMembership", before)
    people = _names(event.person_id for event in events)
    gone = apps.get_model("questionbank", "SchoolEvent")._default_manager.filter(pgh_label="delete")
    schools = dict(gone.values_list("pgh_obj_id", "name")) | dict(School.objects.values_list("pk", "name"))

    def what(event: Any) -> str:
        person, school = people.get(event.person_id, "?"), schools.get(event.school_id, "?")
        did = f"let {person} belong to" if event.pgh_label == "insert" else f"took {person} out of"
        return f"{did} {school}"

    return _entries(events, "people", what)


def _synonyms(before: datetime | None) -> Iterable[ChangeEntry]:
    events = _events("SynonymGroup", before)
    _current, after = states_after(events, SynonymGroup)

    def what(event: Any) -> str:
        following, terms = after[event.pk], ", ".join(event.terms)
        return {
            "insert": f"added the synonyms {terms}",
            "update": f"changed the synonyms {terms} to {', '.join(following.terms) if following else ''}",
            "delete": f"deleted the synonyms {terms}",
        }[event.pgh_label]

    return _entries(events, "settings", what, is_joined=True)


def _models(before: datetime | None) -> Iterable[ChangeEntry]:
    for event in _window(ModelEvent.objects.select_related("person").order_by("-pk"), "created_at", before):
        what = f"{event.get_kind_display().lower()} the model {event.artifact_name}"
        address = reverse("model_history", args=[event.capability])
        yield ChangeEntry(event.created_at, str(event.person or ""), "settings", what, address)


def _guidelines(before: datetime | None) -> Iterable[ChangeEntry]:
    versions = ReviewGuideline.objects.select_related("created_by").order_by("-pk")
    for guideline in _window(versions, "created_at", before):
        what = f"wrote version {guideline.version} of the review guidelines"
        who = str(guideline.created_by or "")
        yield ChangeEntry(guideline.created_at, who, "settings", what, reverse("review_guidelines"))


def _bulk_changes(before: datetime | None, *, of_concepts: bool) -> Iterable[ChangeEntry]:
    """Yield bulk changes and their undoing; changes of concepts count as changes of tags."""
    changes = BulkChange.objects.select_related("person", "undone_by").filter(applied_at__isnull=False)
    concepts = Q(kind=BulkChange.Kind.CONCEPTS)
    changes = changes.filter(concepts if of_concepts else ~concepts).order_by("-created_at")
    kind = "tags" if of_concepts else "bulk"
    rows = _window(changes, "created_at", before)
    names = concept_names_kept(row.values[name] for row in rows for name in ("add", "remove") if row.values.get(name))
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
    done = done.filter(Q(kind=Run.Kind.UNDO) | Q(result__written=True)).select_related("requested_by")
    for run in _window(done.order_by("-finished_at"), "finished_at", before):
        is_import = run.kind == Run.Kind.IMPORT
        questions = counted(run.result.get("created" if is_import else "removed", 0), "question", "questions")
        origin = run.result.get("name") or run.title
        what = f"imported {questions} from {origin}" if is_import else f"undid an import and removed {questions}"
        when, who = run.finished_at or run.created_at, run.requester
        yield ChangeEntry(when, who, "imports", what, reverse("run_detail", args=[run.pk]))


_SOURCES: tuple[tuple[str, Callable[[datetime | None], Iterable[ChangeEntry]]], ...] = (  # a literal table
    ("tags", _tags),
    ("tags", partial(_bulk_changes, of_concepts=True)),
    ("bulk", partial(_bulk_changes, of_concepts=False)),
    ("concepts", _concepts),
    ("concepts", _hierarchies),
    ("people", _accounts),
    ("people", _roles),
    ("people", _schools),
    ("people", _memberships),
    ("settings", _synonyms),
    ("settings", _models),
    ("settings", _guidelines),
    ("imports", _imports),
)
