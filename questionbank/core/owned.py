"""What belongs to a person: names that are given once, and rows in an order of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from questionbank.core.errors import ValidationFailed
from questionbank.models import QuestionList, User, Worksheet
from questionbank.people.permissions import require_owner

NAME_LIMIT = 120


def checked_name(others: QuerySet[Any], name: str, *, noun: str) -> str:
    """Return a name without needless blanks.

    Args:
        others: the person's other rows of this kind.
        noun: what is named: "list".

    Raises:
        ValidationFailed: the name is empty, too long, or one of the others has it.
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


Rows = QuerySet[Any]
"""Rows of one owner, with a `position` and ordered by it."""


def locked_rows(*, user: User, owner: QuestionList | Worksheet) -> Rows:
    """Return the rows of a list or worksheet in order; two changes of one wait for each other.

    Raises:
        NotAllowed: it is somebody else's.
    """
    require_owner(user, owner)
    type(owner)._default_manager.select_for_update().get(pk=owner.pk)
    return owner.items.all()


def last_position(rows: Rows) -> int:
    """Return the place of the last row; 0 where there is none."""
    last = rows.last()
    return last.position if last else 0


def row_move(rows: Rows, *, pk: int, position: int) -> None:
    """Move a row to a place; a place beyond the end is the last one, and nothing happens where the row is gone."""
    order = list(rows.values_list("pk", flat=True))
    if pk not in order:
        return
    order.remove(pk)
    order.insert(max(0, position - 1), pk)
    rows_number(rows, order)


def row_remove(rows: Rows, *, pk: int) -> None:
    """Delete a row and close the gap; nothing happens where it is gone."""
    rows.filter(pk=pk).delete()
    rows_number(rows, list(rows.values_list("pk", flat=True)))


def rows_number(rows: Rows, order: Sequence[int]) -> None:
    """Give rows the places that they have in an order of their ids."""
    places = {pk: place for place, pk in enumerate(order, start=1)}
    moved = [row for row in rows.all() if row.position != places[row.pk]]
    for row in moved:
        row.position = places[row.pk]
    rows.model._default_manager.bulk_update(moved, ["position"])
