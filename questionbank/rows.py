"""Rows that must be there, and locks by name."""

from __future__ import annotations

from typing import TypeVar

from django.db import connection
from django.db.models import Model, QuerySet

from questionbank.errors import NotFound

Row = TypeVar("Row", bound=Model)


def existing(rows: QuerySet[Row], refusal: str) -> Row:
    """Return the first row.

    Raises:
        NotFound: there is none; `refusal` is its sentence.
    """
    row = rows.first()
    if row is None:
        raise NotFound(refusal)
    return row


def wait_for_turn(name: str | int) -> None:
    """Wait until nobody else holds the lock of this name, and hold it until the transaction ends."""
    key, form = (name, "%s") if isinstance(name, int) else (f"kindred/{name}", "hashtext(%s)")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_advisory_xact_lock({form})", [key])
