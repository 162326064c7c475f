"""Rows that must exist, advisory locks by name or run, and the database's clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, TypeVar

from django.db import connection
from django.db.models import ForeignKey, Model, QuerySet
from pghistory.models import Event

from questionbank.core.errors import NotFound
from questionbank.models import Run

Row = TypeVar("Row", bound=Model)


def get_or_not_found(rows: QuerySet[Row], refusal: str) -> Row:
    """Return the first row.

    Raises:
        NotFound: there is no row; the message is `refusal`.
    """
    row = rows.first()
    if row is None:
        raise NotFound(refusal)
    return row


def references_to(target: type[Model]) -> Iterator[ForeignKey[Any, Any]]:
    """Yield every foreign key to a table, except those of the history."""
    for relation in target._meta.get_fields(include_hidden=True):
        if relation.auto_created and not relation.concrete and (relation.one_to_many or relation.one_to_one):
            key: Any = getattr(relation, "field")  # noqa: B009 - not every kind of field has one
            is_table = key.model._meta.managed and not key.model._meta.proxy
            if is_table and not issubclass(key.model, Event):
                yield key


def advisory_lock(name: str | int) -> None:
    """Take the PostgreSQL advisory lock with this name, and hold it until the transaction ends."""
    key, form = (name, "%s") if isinstance(name, int) else (f"kindred/{name}", "hashtext(%s)")
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT pg_advisory_xact_lock({form})", [key])


def database_now() -> datetime:
    """Return the database's current time, even inside a transaction that began earlier."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


def settled_until() -> datetime:
    """Return a time before which nothing can still appear: when the oldest transaction that writes began, else now.

    A row has the time at which its transaction began, but is seen only when that ends: an import of many questions
    may take a minute.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT least(now(), min(xact_start)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid()"
        )
        moment: datetime = cursor.fetchone()[0]
        return moment


RUN_LOCK = 7_201_010  # first half of the advisory lock's key; the second half is the run's id


class RunLock:
    """The lock that shows that a run's worker is alive, held by an open transaction on a connection of its own.

    PostgreSQL releases it when the connection ends. It is a transaction-level lock, not a session-level one, because
    a pooler hands sessions on to other clients. The transaction holds no snapshot, so it delays neither VACUUM nor
    the building of an index.
    """

    def __init__(self, run: Run) -> None:
        self._number = _lock_number(run)
        self._connection = connection.copy()

    def keep(self) -> bool:
        """Take the lock, or check that the connection that holds it is alive; return whether this call took it."""
        is_new = self._connection.connection is None
        if is_new:
            self._connection.set_autocommit(False)
        with self._connection.cursor() as cursor:
            if is_new:
                cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [RUN_LOCK, self._number])
            else:
                cursor.execute("SELECT 1")
            return is_new and bool(cursor.fetchone()[0])

    def close(self) -> None:
        """Release the lock."""
        self._connection.close()


def _lock_number(run: Run) -> int:
    return run.pk % 2**31


def run_lock_is_held(run: Run) -> bool:
    """Return whether a worker holds the run's lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks JOIN pg_database d ON d.oid = pg_locks.database"
            " WHERE d.datname = current_database() AND locktype = 'advisory' AND objsubid = 2"
            " AND classid = %s AND objid = %s AND granted)",
            [RUN_LOCK, _lock_number(run)],
        )
        return bool(cursor.fetchone()[0])
