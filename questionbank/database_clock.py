"""The database's clock, by which processes of different machines agree on what is over.

A machine's own clock may be minutes off. Whatever one process writes and another compares (a lease, a heartbeat, when
mail is due) is therefore written and compared by `django.db.models.functions.Now`, which is the database's time at the
start of the statement, or by `database_now` where Python must compute with it.
"""

from __future__ import annotations

from datetime import datetime

from django.db import connection


def database_now() -> datetime:
    """Return the database's time, also inside a transaction that began earlier."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now
