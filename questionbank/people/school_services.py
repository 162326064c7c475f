"""Schools: what admins change, each function in one transaction, and whether something fits into a quota."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.template.defaultfilters import filesizeformat
from django.utils.text import slugify

from questionbank.core.database import get_or_not_found
from questionbank.core.errors import ValidationFailed
from questionbank.core.wording import counted
from questionbank.models import School, User, Visibility
from questionbank.people.owned import checked_name
from questionbank.people.permissions import require
from questionbank.people.school_selectors import rows_of_school, school_bytes, school_questions, shown_models, shows_to

_SLUG_LENGTH = 50  # leaves room for a number


@transaction.atomic
def school_create(*, user: User | None, name: str) -> School:
    """Add a school without people.

    Raises:
        ValidationFailed: the name is empty, too long, or another school's.
        NotAllowed: the person is not an admin.
    """
    _allow(user)
    name = _checked(name, School.objects.all())
    return School.objects.create(name=name, slug=_free_slug(name))


@transaction.atomic
def school_update(
    *, user: User | None, school: School, name: str, most_questions: int | None, most_megabytes: int | None
) -> School:
    """Rename a school and set its quotas; its short name stays, because addresses and sign-on use it.

    Args:
        most_questions, most_megabytes: see `School`. If more than a quota is used already, nothing more is accepted.

    Raises:
        ValidationFailed, NotAllowed: as for `school_create`.
    """
    _allow(user)
    school = _locked(school.pk)
    school.name = _checked(name, School.objects.exclude(pk=school.pk))
    school.most_questions, school.most_megabytes = most_questions, most_megabytes
    school.save(update_fields=["name", "most_questions", "most_megabytes"])
    return school


@transaction.atomic
def school_people_add(*, user: User | None, school: School, people: Iterable[User]) -> None:
    """Add people to a school.

    Raises:
        NotAllowed: the person is not an admin.
    """
    _allow(user)
    school.people.add(*people)


@transaction.atomic
def school_people_remove(*, user: User | None, school: School, people: Iterable[User]) -> None:
    """Take people out of a school; what they shared with it stays there.

    Raises:
        NotAllowed: the person is not an admin.
    """
    _allow(user)
    school.people.remove(*people)


@transaction.atomic
def person_schools_set(*, user: User | None, person: User, schools: Collection[School]) -> None:
    """Set the schools that a person belongs to.

    Raises:
        NotAllowed: the acting person is not an admin.
    """
    _allow(user)
    person.schools.set(schools)
    person.refresh_from_db(fields=["school_ids"])


@transaction.atomic
def school_delete(*, user: User | None, school: School, to: str) -> int:
    """Delete a school after moving everything that belongs to it; return how many things were moved.

    Args:
        to: who sees what belonged to it, as in `questionbank.people.school_selectors`. With ``private`` it is the
            author of each thing; only admins see things without one.

    Raises:
        ValidationFailed: `to` is not a school, is this school, or has too little room.
        NotAllowed: the person is not an admin.
    """
    _allow(user)
    visibility, heir = shows_to(user, to)
    if heir == school.pk:
        raise ValidationFailed.beside("to", "Choose another school.")
    questions_fit(school_id=heir, added=school_questions(school=school))
    _locked(school.pk, for_deletion=True)  # writing rows that name it waits, and is then refused
    moved = sum(rows_of_school(model, school).update(visibility=visibility, school=heir) for model in shown_models())
    school.delete()
    return moved


def questions_fit(*, school_id: int | None, added: int) -> None:
    """Check that a school has room for more questions; holds its lock, so that two requests cannot share the room.

    Args:
        school_id: None for questions that belong to no school.

    Raises:
        ValidationFailed: it has too little room.
    """
    if school_id is None or not added:
        return
    school = _locked(school_id)
    most = school.most_questions
    if most is None:
        return
    used = school_questions(school=school)
    if used + added > most:
        allowed = counted(most, "question", "questions")
        more = counted(added, "more question does", "more questions do")
        raise ValidationFailed(
            f"{school} may have {allowed} and has {used:,}, so {more} not fit. Ask an admin for more room."
        )


def upload_fits(*, user: User | None, size: int) -> None:
    """Check that a file of so many bytes fits into the quotas of all schools of a person.

    Raises:
        ValidationFailed: the file does not fit.
    """
    limited = School.objects.filter(people=user, most_megabytes__isnull=False) if user is not None else ()
    for school in limited:  # without its lock: sizes are asked from the storage, and questions would wait meanwhile
        most = (school.most_megabytes or 0) * 1024 * 1024
        used = school_bytes(school=school)
        if used + size > most:
            raise ValidationFailed(
                f"{school} may upload {filesizeformat(most)} and has {filesizeformat(used)}, so this file does not fit."
                " Ask an admin for more room."
            )


def _locked(school_id: int, *, for_deletion: bool = False) -> School:
    rows = School.objects.select_for_update(no_key=not for_deletion).filter(pk=school_id)
    return get_or_not_found(rows, "There is no such school.")


def _allow(user: User | None) -> None:
    require(user, "people_manage", "Only admins manage schools.")


def _checked(name: str, others: QuerySet[School]) -> str:
    name = checked_name(School.objects.none(), name, noun="school")
    if others.filter(name__iexact=name).exists():
        raise ValidationFailed.beside("name", "There is a school with this name already.")
    return name


def _free_slug(name: str) -> str:
    stem = slugify(name)[:_SLUG_LENGTH].strip("-") or "school"
    taken = {*School.objects.filter(slug__startswith=stem).values_list("slug", flat=True), *Visibility.values}
    numbers = (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2))
    return next(slug for slug in numbers if slug not in taken)
