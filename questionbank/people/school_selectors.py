"""Schools: to whom people may show what they write, what belongs to a school, and how much of its quotas is used.

Forms, jobs and programs say who sees a row by one text: ``all``, ``private``, or the short name of a school.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.files.storage import storages
from django.db import connection
from django.db.models import Count, Model, Q, QuerySet
from django.db.models.functions import Lower

from questionbank.core.database import get_or_not_found
from questionbank.core.errors import ValidationFailed
from questionbank.core.storage import upload_names
from questionbank.models import DocumentDraft, Question, Run, School, User, Visibility
from questionbank.models.visibility import EVERYBODY, Shown, viewer_audiences
from questionbank.people.permissions import audiences_of

NAMES = {value: label for value, label in Visibility.choices if value != Visibility.SCHOOL}
Shows = tuple[str, int | None]
"""The columns `visibility` and `school_id` of a row."""


def schools_seen() -> QuerySet[School]:
    """Return the schools to which the viewer belongs; all of them for an admin and for the system."""
    audiences = viewer_audiences()
    if audiences is None:
        return School.objects.all()
    ids = [audience for audience in audiences if audience > EVERYBODY]
    return School.objects.filter(pk__in=ids) if ids else School.objects.none()


def visible_to_choices() -> list[tuple[str, str]]:
    """Return whom the viewer can choose to show something to; nothing if they see no school."""
    schools = [(school.slug, school.name) for school in schools_seen()]
    if not schools:
        return []
    return [(Visibility.ALL.value, NAMES["all"]), *schools, (Visibility.PRIVATE.value, NAMES["private"])]


def usual_visible_to(user: User | None) -> str:
    """Return who sees what a person writes, unless they choose: their school if they have exactly one, or everybody."""
    if user is None or len(user.school_ids) != 1:
        return Visibility.ALL.value
    return School.objects.values_list("slug", flat=True).get(pk=user.school_ids[0])


def visible_to_of(row: Shown) -> str:
    """Return who sees a row."""
    return row.school.slug if row.school is not None else row.visibility


def is_visible_to(visible_to: str) -> Q:
    """Return the condition for rows that are shown to exactly these people."""
    return Q(visibility=visible_to) if visible_to in NAMES else Q(school__slug=visible_to)


def visible_to_name(visible_to: str) -> str:
    """Return a visibility's name for people, such as the school's name or "everybody"."""
    if visible_to in NAMES:
        return NAMES[visible_to].lower()
    return School.objects.filter(slug=visible_to).values_list("name", flat=True).first() or "a deleted school"


def shows_to(user: User | None, visible_to: str = "") -> Shows:
    """Return the columns for what a person chose.

    Args:
        user: None is the system itself.
        visible_to: empty for `usual_visible_to`.

    Raises:
        ValidationFailed: beside ``visible_to``: there is no such school, or the person does not belong to it.
    """
    chosen = visible_to or usual_visible_to(user)
    if chosen in NAMES:
        return chosen, None
    audiences = None if user is None else audiences_of(user)
    school = School.objects.filter(slug=chosen).first()
    if school is None or (audiences is not None and school.pk not in audiences):
        missing = f"There is no school with the short name {chosen!r}."
        raise ValidationFailed.beside("visible_to", "Choose a school that you belong to." if user else missing)
    return Visibility.SCHOOL.value, school.pk


_PICTURES = """
    SELECT coalesce(sum(size), 0) FROM questionbank_attachment WHERE sha256 IN (
        SELECT jsonb_path_query(content, '$.**.sha256') #>> '{}' FROM questionbank_question
        WHERE audience = %s AND content <> '{}'
    )
"""


@dataclass(frozen=True, slots=True)
class SchoolUse:
    """What belongs to a school.

    Attributes:
        rows: number of rows by the name of their kind, such as ``questions``; kinds without rows are left out.
        bytes: size of its people's uploads: the pictures of its questions, and files that wait for their owners.
    """

    rows: Mapping[str, int]
    bytes: int

    @property
    def questions(self) -> int:
        return self.rows.get("questions", 0)


def schools() -> QuerySet[School]:
    """Return all schools by name, annotated with their number of people (`size`)."""
    return School.objects.annotate(size=Count("memberships")).order_by(Lower("name"), "pk")


def school_get(*, school_id: int) -> School:
    """Return a school."""
    return get_or_not_found(School.objects.filter(pk=school_id), "There is no such school.")


def school_named(*, name: str) -> School:
    """Return the school with a name or short name, whatever its case."""
    found = School.objects.filter(name__iexact=name) | School.objects.filter(slug__iexact=name)
    return get_or_not_found(found, f"There is no school {name!r}.")


def shown_models() -> list[type[Shown]]:
    """Return the tables whose rows belong to everybody, to a school or to one person."""
    return [model for model in apps.get_models() if issubclass(model, Shown)]


def rows_of_school(model: type[Shown], school: School) -> QuerySet[Model]:
    """Return the rows of a table that belong to a school, whoever the viewer is."""
    rows: Any = model._base_manager  # each class adds the column `audience` itself
    return rows.filter(audience=school.pk)


def school_use(*, school: School) -> SchoolUse:
    """Return what belongs to a school."""
    counts = {str(model._meta.verbose_name_plural): rows_of_school(model, school).count() for model in shown_models()}
    return SchoolUse({noun: number for noun, number in counts.items() if number}, school_bytes(school=school))


def school_questions(*, school: School) -> int:
    """Return the number of questions that belong to a school."""
    return rows_of_school(Question, school).count()


def school_bytes(*, school: School) -> int:
    """Return the size of the uploads of a school's people."""
    with connection.cursor() as cursor:
        cursor.execute(_PICTURES, [school.pk])
        pictures = int(cursor.fetchone()[0])
    people = school.people.values("pk")
    papers = DocumentDraft._base_manager.filter(owner__in=people).exclude(upload="").values_list("upload", flat=True)
    imports = Run.objects.filter(kind=Run.Kind.IMPORT, requested_by__in=people, parameters__has_key="upload")
    files = {*papers, *imports.values_list("parameters__upload", flat=True)}
    return pictures + sum(map(_size, files.intersection(upload_names())))  # most were deleted long ago


def _size(name: str) -> int:
    try:
        return int(storages["uploads"].size(name))
    except FileNotFoundError:  # it has just been imported
        return 0
