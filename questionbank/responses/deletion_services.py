"""Deleting responses: a set, a pupil's, a class's, and those older than some years."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from django.db import transaction
from django.db.models import Count, F, QuerySet
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone

from questionbank.core.errors import NotFound, ValidationFailed
from questionbank.models import Response, ResponseSet, User
from questionbank.people.permissions import require
from questionbank.responses.cell_values import person_key
from questionbank.responses.prepared import person_hash
from questionbank.responses.published_services import published_remove
from questionbank.responses.set_selectors import own_sets
from questionbank.responses.statistics_services import bank_statistics_request, set_statistics_compute


@dataclass(frozen=True, slots=True)
class Deletion:
    """What somebody wants to delete: exactly one of these.

    Attributes:
        people: keyed hashes of a pupil, in hexadecimal, one for each order of the names.
        class_label: a class.
        before: a day; sets of earlier tests are deleted.
    """

    people: tuple[str, ...] = ()
    class_label: str = ""
    before: date | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """What would be deleted: the sets that it concerns, and the number of responses."""

    sets: list[ResponseSet]
    responses: int


def pupil_hashes(text: str) -> tuple[str, ...]:
    """Return the keyed hashes of a pupil by what a file may have identified them by.

    Files write names in either order, so "Ada Lovelace" is also looked for as "Lovelace Ada".
    """
    words = re.split(r"[\s,]+", text.strip(" ,\t\n"))
    orders = [words[place:] + words[:place] for place in range(len(words))]
    return tuple(dict.fromkeys(person_hash(person_key(" ".join(order))) for order in orders if order[0]))


def responses_found(*, wanted: Deletion, user: User | None) -> Found:
    """Return what a deletion would delete: of a person's own sets, or of all for an admin or the system.

    Raises:
        ValidationFailed: not exactly one thing is wanted.
    """
    if sum(map(bool, (wanted.people, wanted.class_label, wanted.before))) != 1:
        raise ValidationFailed("Choose one: a pupil, a class or a day.")
    sets = own_sets(user=user)
    if wanted.people:
        responses = _of_people(wanted.people).filter(response_set__in=sets)
        sets = sets.filter(pk__in=responses.values("response_set"))
    else:
        sets = sets.filter(class_label=wanted.class_label) if wanted.class_label else _before(sets, wanted.before)
        responses = Response.objects.filter(response_set__in=sets)
    return Found(list(sets), responses.count())


@transaction.atomic
def responses_delete(*, wanted: Deletion, user: User | None) -> Found:
    """Delete what `responses_found` finds and return it; a job computes the figures of what remains anew.

    Figures of a set from which fewer than five pupils were deleted stay as they are, and the set no longer counts for
    the figures of all sets: new figures would differ by what these pupils answered.

    Raises:
        NotFound: there is nothing to delete.
        ValidationFailed: see `responses_found`.
    """
    found = responses_found(wanted=wanted, user=user)
    if not found.sets:
        raise NotFound("There are no such responses.")
    outdated = _questions_of(found.sets)
    for response_set in found.sets:
        require(user, "responses_delete", "Only its owner or an admin can delete this set.", response_set)
        if wanted.people:
            _people_delete(response_set, wanted.people)
        else:
            _set_delete(response_set)
    bank_statistics_request(outdated=outdated)
    return found


@transaction.atomic
def response_set_delete(*, response_set: ResponseSet, user: User | None) -> None:
    """Delete a set with its responses and figures, and request the figures of the other sets anew.

    Raises:
        NotAllowed: it belongs to somebody else, and the person is no admin.
    """
    require(user, "responses_delete", "Only its owner or an admin can delete this set of responses.", response_set)
    outdated = _questions_of([response_set])
    _set_delete(response_set)
    bank_statistics_request(outdated=outdated)


def responses_delete_old(*, before: date) -> int:
    """Delete the sets of tests that were written before a day, and return their number."""
    try:
        return len(responses_delete(wanted=Deletion(before=before), user=None).sets)
    except NotFound:
        return 0


def years_ago(years: int) -> date:
    """Return this day some years ago; 28 February for a leap day."""
    today = timezone.localdate()
    return today.replace(year=today.year - years, day=28 if (today.month, today.day) == (2, 29) else today.day)


def _of_people(people: Iterable[str]) -> QuerySet[Response]:
    return Response.objects.filter(person__in=[bytes.fromhex(person) for person in people])


def _questions_of(sets: Iterable[ResponseSet]) -> list[int]:
    return list(Response.objects.filter(response_set__in=list(sets)).values_list("question_id", flat=True).distinct())


def _before(sets: QuerySet[ResponseSet], day: date | None) -> QuerySet[ResponseSet]:
    return sets.annotate(written=Coalesce("day", TruncDate("created_at"))).filter(written__lt=day)


def _set_delete(response_set: ResponseSet) -> None:
    published_remove(response_set=response_set)
    response_set.delete()


def _people_delete(response_set: ResponseSet, people: Iterable[str]) -> None:
    rows = _of_people(people).filter(response_set=response_set)
    removed = rows.aggregate(people=Count("person", distinct=True))["people"]
    rows.delete()
    people_left = response_set.responses.aggregate(people=Count("person", distinct=True))["people"]
    if not people_left:
        response_set.delete()
        return
    ResponseSet.objects.filter(pk=response_set.pk).update(people=people_left, removed=F("removed") + removed)
    response_set.refresh_from_db()
    set_statistics_compute(response_set=response_set)
