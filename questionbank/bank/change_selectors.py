"""History of changes, and the audit of log-ins, exports and views; each import is one entry and marked as an import.

The triggers of pghistory store each row as it was before a change. The new state is the row's next event, or its
current state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
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
    ApiKey,
    AuditEvent,
    BulkChange,
    KnowledgeConcept,
    KnowledgeHierarchy,
    ModelEvent,
    Question,
    Retention,
    ReviewGuideline,
    Run,
    School,
    SynonymGroup,
    User,
)

CHANGE_KINDS: Mapping[str, str] = {  # a literal table
    "questions": "Questions",
    "tags": "Tags",
    "bulk": "Many questions at once",
    "concepts": "Concepts",
    "people": "People and roles",
    "settings": "Settings and models",
    "imports": "Imports",
    **dict(AuditEvent.Kind.choices),
}
PAGE_SIZE = 50
_MOMENT = timedelta(microseconds=1)
_WINDOW = 300  # events of one table that a page reads; a change of many rows is one entry


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which changes are wanted.

    Attributes:
        before: only changes before this moment, at which a page begins.
        since: only changes from this moment on.
        person: only what this person did, by id.
        only: conditions on the events, for the history of one row.
    """

    before: datetime | None = None
    since: datetime | None = None
    person: int | None = None
    only: Mapping[str, int] = field(default_factory=dict)

    def rows(self, rows: QuerySet[Any], moment: str, person: str) -> QuerySet[Any]:
        """Return the wanted rows; `moment` and `person` name their columns."""
        conditions = {f"{moment}__lt": self.before, f"{moment}__gte": self.since, person: self.person}
        return rows.filter(**{name: value for name, value in conditions.items() if value is not None}, **self.only)


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


def change_page(*, kind: str = "", wanted: Wanted | None = None) -> ChangePage:
    """Return one page of the history of the whole bank."""
    wanted = wanted or Wanted()
    changes = [list(source(wanted)) for name, source in _SOURCES if kind in ("", name)]
    # If a window is full, events as old as its last one, or older, may be missing, so the next page begins there.
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


def all_changes(*, kind: str, wanted: Wanted) -> Iterator[ChangeEntry]:
    """Yield all wanted changes, newest first; reads page by page."""
    older = wanted.before
    while True:
        page = change_page(kind=kind, wanted=replace(wanted, before=older))
        yield from page.entries
        older = page.older
        if older is None:
            return


def concept_history(*, concept: KnowledgeConcept) -> list[ChangeEntry]:
    """Return the changes of one concept, newest first."""
    return list(_concepts(Wanted(only={"pgh_obj_id": concept.pk})))


_OF_AN_EVENT = ("pgh_created_at", "pgh_context__metadata__user")  # its moment, and who made it


def _events(name: str, wanted: Wanted, **more: Any) -> list[Any]:
    """Return the latest events of one table, except those that belong to an undo's or a bulk change's single entry."""
    events = apps.get_model("questionbank", f"{name}Event")._default_manager.select_related("pgh_context")
    ours = Q(pgh_context=None) | ~Q(pgh_context__metadata__has_any_keys=["run", "bulk_change"])
    return list(wanted.rows(events.filter(ours, **more), *_OF_AN_EVENT).order_by("-pgh_created_at", "-pk")[:_WINDOW])


def _window(rows: QuerySet[Any], wanted: Wanted, moment: str, person: str) -> list[Any]:
    return list(wanted.rows(rows, moment, person)[:_WINDOW])


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


def _tags(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("QuestionTag", wanted)
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


def _questions(wanted: Wanted) -> Iterable[ChangeEntry]:
    """Yield the changes that people made; those of imports and jobs have no context."""
    events = _events("Question", wanted, pgh_context__isnull=False)
    current = set(
        Question._base_manager.filter(pk__in={event.pgh_obj_id for event in events}).values_list("pk", flat=True)
    )

    def what(event: Any) -> str:
        return f"{'deleted' if event.pgh_label == 'delete' else 'changed'} question {event.pgh_obj_id}"

    def address(event: Any) -> str:
        number = event.pgh_obj_id
        return reverse("question_detail", args=[number]) if number in current else ""

    return _entries(events, "questions", what, address)


def concept_names_kept(ids: Iterable[int]) -> dict[int, str]:
    """Return the names of concepts by id; deleted concepts are shown by their last name."""
    concept_ids = set(ids)
    gone = apps.get_model("questionbank", "KnowledgeConceptEvent")._default_manager
    names = dict(gone.filter(pgh_obj_id__in=concept_ids).order_by("pk").values_list("pgh_obj_id", "name"))
    return names | dict(KnowledgeConcept.objects.filter(pk__in=concept_ids).values_list("pk", "name"))


def _concepts(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("KnowledgeConcept", wanted)
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


def _hierarchies(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("KnowledgeHierarchy", wanted)
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


def _accounts(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("User", wanted)
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


def _roles(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("UserRole", wanted)
    people = _names(event.user_id for event in events)
    roles = dict(Group.objects.values_list("pk", "name"))

    def what(event: Any) -> str:
        person, role = people.get(event.user_id, "?"), roles.get(event.group_id, "?")
        is_given = event.pgh_label == "insert"
        return f"gave {person} the role {role}" if is_given else f"took the role {role} from {person}"

    return _entries(events, "people", what)


def _schools(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("School", wanted)
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


def _memberships(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("SchoolMembership", wanted)
    people = _names(event.person_id for event in events)
    gone = apps.get_model("questionbank", "SchoolEvent")._default_manager.filter(pgh_label="delete")
    schools = dict(gone.values_list("pgh_obj_id", "name")) | dict(School.objects.values_list("pk", "name"))

    def what(event: Any) -> str:
        person, school = people.get(event.person_id, "?"), schools.get(event.school_id, "?")
        did = f"added {person} to" if event.pgh_label == "insert" else f"took {person} out of"
        return f"{did} {school}"

    return _entries(events, "people", what)


def _keys(wanted: Wanted, *, did: str, moment: str) -> Iterable[ChangeEntry]:
    keys = ApiKey.objects.select_related("owner").exclude(**{moment: None}).order_by(f"-{moment}")
    for key in _window(keys, wanted, moment, "owner"):
        yield ChangeEntry(getattr(key, moment), str(key.owner), "people", f"{did} the key “{key.name}”")


def _retentions(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("Retention", wanted)
    _current, after = states_after(events, Retention)

    def what(event: Any) -> str:
        now = event if event.pgh_label == "insert" else after[event.pk]
        kept = "for ever" if now is None or now.days is None else f"for {counted(now.days, 'day', 'days')}"
        return f"set “{event.kind}” to be kept {kept}"

    return _entries(events, "settings", what)


def _audit(wanted: Wanted, *, kind: str) -> Iterable[ChangeEntry]:
    rows = AuditEvent.objects.filter(kind=kind).select_related("person").order_by("-created_at", "-pk")
    for row in _window(rows, wanted, "created_at", "person"):
        who = " through ".join(filter(None, (str(row.person or ""), row.through)))
        place = f" from {row.address}" if row.address else ""
        yield ChangeEntry(row.created_at, who, kind, f"{row.what}{place}", row.path)


def _synonyms(wanted: Wanted) -> Iterable[ChangeEntry]:
    events = _events("SynonymGroup", wanted)
    _current, after = states_after(events, SynonymGroup)

    def what(event: Any) -> str:
        following, terms = after[event.pk], ", ".join(event.terms)
        return {
            "insert": f"added the synonyms {terms}",
            "update": f"changed the synonyms {terms} to {', '.join(following.terms) if following else ''}",
            "delete": f"deleted the synonyms {terms}",
        }[event.pgh_label]

    return _entries(events, "settings", what, is_joined=True)


def _models(wanted: Wanted) -> Iterable[ChangeEntry]:
    for event in _window(ModelEvent.objects.select_related("person").order_by("-pk"), wanted, "created_at", "person"):
        what = f"{event.get_kind_display().lower()} the model {event.artifact_name}"
        address = reverse("model_history", args=[event.capability])
        yield ChangeEntry(event.created_at, str(event.person or ""), "settings", what, address)


def _guidelines(wanted: Wanted) -> Iterable[ChangeEntry]:
    versions = ReviewGuideline.objects.select_related("created_by").order_by("-pk")
    for guideline in _window(versions, wanted, "created_at", "created_by"):
        what = f"wrote version {guideline.version} of the review guidelines"
        who = str(guideline.created_by or "")
        yield ChangeEntry(guideline.created_at, who, "settings", what, reverse("review_guidelines"))


def _bulk_changes(wanted: Wanted, *, of_concepts: bool) -> Iterable[ChangeEntry]:
    """Yield bulk changes and their undoing; changes of concepts count as changes of tags."""
    changes = BulkChange.objects.select_related("person", "undone_by").filter(applied_at__isnull=False)
    concepts = Q(kind=BulkChange.Kind.CONCEPTS)
    changes = changes.filter(concepts if of_concepts else ~concepts).order_by("-created_at")
    kind = "tags" if of_concepts else "bulk"
    rows = _window(changes, wanted, "created_at", "person")
    names = concept_names_kept(row.values[name] for row in rows for name in ("add", "remove") if row.values.get(name))
    for change in rows:
        description = bulk_change_description(change.kind, change.values, names)
        questions = counted(change.changed, "question", "questions")
        address = reverse("bulk_change_detail", args=[change.pk])
        if change.undone_at is not None and (wanted.before is None or change.undone_at < wanted.before):
            undone = f"undid “{description}” for {questions}"
            yield ChangeEntry(change.undone_at, str(change.undone_by or ""), kind, undone, address)
        sentence = f"changed {questions}: {description}"
        yield ChangeEntry(change.created_at, str(change.person or ""), kind, sentence, address)


def _imports(wanted: Wanted) -> Iterable[ChangeEntry]:
    done = Run.objects.filter(state=Run.State.SUCCEEDED, kind__in=(Run.Kind.IMPORT, Run.Kind.UNDO))
    done = done.filter(Q(kind=Run.Kind.UNDO) | Q(result__written=True)).select_related("requested_by")
    for run in _window(done.order_by("-finished_at"), wanted, "finished_at", "requested_by"):
        is_import = run.kind == Run.Kind.IMPORT
        questions = counted(run.result.get("created" if is_import else "removed", 0), "question", "questions")
        origin = run.result.get("name") or run.title
        what = f"imported {questions} from {origin}" if is_import else f"undid an import and removed {questions}"
        when, who = run.finished_at or run.created_at, run.requester
        yield ChangeEntry(when, who, "imports", what, reverse("run_detail", args=[run.pk]))


_SOURCES: tuple[tuple[str, Callable[[Wanted], Iterable[ChangeEntry]]], ...] = (  # a literal table
    ("questions", _questions),
    ("tags", _tags),
    ("tags", partial(_bulk_changes, of_concepts=True)),
    ("bulk", partial(_bulk_changes, of_concepts=False)),
    ("concepts", _concepts),
    ("concepts", _hierarchies),
    ("people", _accounts),
    ("people", _roles),
    ("people", _schools),
    ("people", _memberships),
    ("people", partial(_keys, did="made", moment="created_at")),
    ("people", partial(_keys, did="no longer has", moment="revoked_at")),
    ("settings", _synonyms),
    ("settings", _models),
    ("settings", _guidelines),
    ("settings", _retentions),
    ("imports", _imports),
    *((str(kind), partial(_audit, kind=kind)) for kind in AuditEvent.Kind.values),
)
