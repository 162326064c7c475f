"""Time limits of the database connections that serve pages; jobs and commands have none.

PostgreSQL itself ends a statement that takes too long. A server that is stalled (stopped, swapped out, on a disk that
hangs) cannot do that, so the client gives up a little later and closes the connection. Behind a pooler only the second
limit is ours; the first belongs into the pooler's configuration, since what we set would be left to others.
"""

from __future__ import annotations

from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.signals import connection_created

STATEMENT_SECONDS = 8
CLIENT_SECONDS = STATEMENT_SECONDS + 2


def limit_page_connections() -> None:
    """Limit every connection that this process opens from now on; for the process that serves pages."""
    connection_created.connect(_limit, dispatch_uid="page_limits")


def _limit(connection: Any, **_sent: Any) -> None:
    raw = connection.connection
    limit_waiting(raw, CLIENT_SECONDS)
    if settings.BEHIND_POOLER:
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = {1000 * STATEMENT_SECONDS}")


def limit_waiting(raw: psycopg.Connection[Any], seconds: float) -> None:
    """Have a connection give up an answer that takes longer; it is closed then."""
    wait = raw.wait

    def wait_for_the_server(generator: Any, *args: Any, **options: Any) -> Any:
        """Wait as `psycopg.Connection.wait`, for a limited time."""
        try:
            return wait(generator, *args, **{"timeout": seconds, **options})
        except psycopg.errors._WaitTimeout as error:
            raw.pgconn.finish()  # its protocol is halfway through an answer
            raise psycopg.errors.QueryCanceled("PostgreSQL did not answer in time.") from error

    raw.wait = wait_for_the_server  # type: ignore[assignment,method-assign]
