"""Rows that belong to a person: unique names, who else sees them, and rows in an order of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from questionbank.core.errors import ValidationFailed
from questionbank.models import DocumentDraft, QuestionList, ResponseSet, User, Worksheet
from questionbank.people.permissions import require_mover, require_owner
from questionbank.people.school_selectors import shows_to

NAME_LIMIT = 120


def checked_name(others: QuerySet[Any], name: str, *, noun: str) -> str:
    """Return a name with whitespace normalised.

    Args:
        others: the person's other rows of this kind.
        noun: what is named, such as "list".

    Raises:
        ValidationFailed: the name is empty, too long or already used.
    """
    name = " ".join(name.replace("\x00", "").split())
    problem = ""
    if not name:
        problem = f"Enter a name for the {noun}."
    elif len(name) > NAME_LIMIT:
        problem = f"Use at most {NAME_LIMIT} characters."
    elif others.filter(name=name).exists():
        problem = f"You already have a {noun} with this name."
    if problem:
        raise ValidationFailed.beside("name", problem)
    return name


@transaction.atomic
def row_show(*, user: User, row: QuestionList | Worksheet | DocumentDraft | ResponseSet, visible_to: str) -> None:
    """Show a row to a school, to everybody or only to its owner; the history says who did this.

    Args:
        visible_to: as in `questionbank.people.school_selectors`.

    Raises:
        ValidationFailed: the school is not one of the person's.
        NotAllowed: it belongs to somebody else, and the person is not an admin.
    """
    require_mover(user, row)
    row.visibility, row.school_id = shows_to(user, visible_to)
    row.save(update_fields=["visibility", "school"])


Rows = QuerySet[Any]
"""Rows of one owner, ordered by their `position`."""


def locked_rows(*, user: User, owner: QuestionList | Worksheet) -> Rows:
    """Lock a list or worksheet and return its rows in order; concurrent changes of it wait for each other.

    Raises:
        NotAllowed: it belongs to somebody else.
    """
    require_owner(user, owner)
    type(owner)._default_manager.select_for_update().get(pk=owner.pk)
    return owner.items.all()


def last_position(rows: Rows) -> int:
    """Return the position of the last row; 0 if there are no rows."""
    last = rows.last()
    return last.position if last else 0


def row_move(rows: Rows, *, pk: int, position: int) -> None:
    """Move a row to a position; a position beyond the end means the last one, and a missing row is ignored."""
    order = list(rows.values_list("pk", flat=True))
    if pk not in order:
        return
    order.remove(pk)
    order.insert(max(0, position - 1), pk)
    rows_number(rows, order)


def row_remove(rows: Rows, *, pk: int) -> None:
    """Delete a row and close the gap; a missing row is ignored."""
    rows.filter(pk=pk).delete()
    rows_number(rows, list(rows.values_list("pk", flat=True)))


def rows_number(rows: Rows, order: Sequence[int]) -> None:
    """Number the rows in the order of the given ids."""
    places = {pk: place for place, pk in enumerate(order, start=1)}
    moved = [row for row in rows.all() if row.position != places[row.pk]]
    for row in moved:
        row.position = places[row.pk]
    rows.model._default_manager.bulk_update(moved, ["position"])
