"""Schools, and to whom people may show what they write.

Forms, jobs and programs say who sees a row by one text: ``all``, ``private``, or the short name of a school.
"""

from __future__ import annotations

from django.db.models import Q, QuerySet

from questionbank.core.errors import ValidationFailed
from questionbank.models import School, User, Visibility
from questionbank.models.visibility import EVERYBODY, Shown, viewer_audiences
from questionbank.people.viewer import audiences_of

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
        ValidationFailed: beside ``visible_to``: the person does not belong to such a school.
    """
    chosen = visible_to or usual_visible_to(user)
    if chosen in NAMES:
        return chosen, None
    audiences = None if user is None else audiences_of(user)
    school = School.objects.filter(slug=chosen).first()
    if school is None or (audiences is not None and school.pk not in audiences):
        raise ValidationFailed.beside("visible_to", "Choose a school that you belong to.")
    return Visibility.SCHOOL.value, school.pk
