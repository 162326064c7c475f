"""Outages of PostgreSQL and Redis, and time limits for the connections that serve pages."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import kombu.exceptions
import psycopg
import redis
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.db import Error as DatabaseError
from django.db.backends.signals import connection_created

# https://www.postgresql.org/docs/18/errcodes-appendix.html; class 08 (connection exceptions) as a whole.
_LOST = {
    "3D000",  # the database name does not exist for a moment while a restore swaps two databases
    "25P03",  # idle in a transaction for too long
    "53300",  # too many connections
    "57P01",  # terminated by an administrator or a fast shutdown
    "57P02",  # another server process crashed
    "57P03",  # the server is starting up or shutting down
    "57P04",  # the database was dropped
    "57P05",  # idle for too long
}
_CANCELLED = "57014"  # statement_timeout
_DISK_FULL = "53100"
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT}
_BROKER = (redis.ConnectionError, redis.TimeoutError, kombu.exceptions.OperationalError)
POLL_SECONDS = 0.5


class Outage(StrEnum):
    """What is unavailable."""

    LOST = "lost"  # a server's connection
    SLOW = "slow"  # a timely answer
    FULL = "full"  # disk space


def outage_of(error: BaseException | None) -> Outage | None:
    """Return the outage behind an error, or None if there is another cause."""
    for cause in _chain(error):
        if isinstance(cause, OSError) and cause.errno in _NO_SPACE:
            return Outage.FULL
        if isinstance(cause, psycopg.Error):
            if cause.sqlstate == _DISK_FULL:
                return Outage.FULL
            if cause.sqlstate == _CANCELLED:
                return Outage.SLOW
            if _is_lost(cause):
                return Outage.LOST
        elif isinstance(cause, _BROKER) or _is_object_store_away(cause):
            return Outage.LOST
        elif isinstance(cause, redis.ResponseError) and str(cause).startswith("MISCONF"):
            return Outage.FULL  # Redis cannot write its append-only file
    return None


def _is_object_store_away(error: BaseException) -> bool:
    """Return whether an S3 server does not answer; botocore is optional, so its errors are matched by name."""
    names = {base.__name__ for base in type(error).__mro__ if base.__module__ == "botocore.exceptions"}
    return bool(names & {"ConnectionError", "HTTPClientError"})


def _is_lost(error: psycopg.Error) -> bool:
    state = error.sqlstate
    if state is not None:
        return state in _LOST or state.startswith("08")
    # An error without a code comes from the client: no server, no answer, or a connection that is already closed.
    if isinstance(error, psycopg.InterfaceError):
        return "closed" in str(error)
    return isinstance(error, psycopg.OperationalError)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        hidden = error.__suppress_context__
        error = error.__cause__ or (None if hidden else error.__context__)


def database_awaited(*, seconds: float) -> bool:
    """Reconnect, waiting at most `seconds` for the server; return whether it answers."""
    connection = connections[DEFAULT_DB_ALIAS]
    deadline = time.monotonic() + seconds
    while True:
        try:
            connection.close()
            connection.ensure_connection()
        except DatabaseError:
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        else:
            return True


STATEMENT_SECONDS = 8
CLIENT_SECONDS = STATEMENT_SECONDS + 2


def limit_page_connections() -> None:
    """Limit every connection that this process opens from now on; called in the process that serves pages."""
    connection_created.connect(_limit, dispatch_uid="page_limits")


def _limit(connection: Any, **_sent: Any) -> None:
    raw = connection.connection
    limit_waiting(raw, CLIENT_SECONDS)
    if settings.BEHIND_POOLER:
        return
    with connection.cursor() as cursor:
        cursor.execute(f"SET statement_timeout = {1000 * STATEMENT_SECONDS}")


def limit_waiting(raw: psycopg.Connection[Any], seconds: float) -> None:
    """Make a connection raise if an answer takes longer than `seconds`; the connection is then closed."""
    wait = raw.wait

    def wait_for_the_server(generator: Any, *args: Any, **options: Any) -> Any:
        """Wait like `psycopg.Connection.wait`, with a timeout."""
        try:
            return wait(generator, *args, **{"timeout": seconds, **options})
        except psycopg.errors._WaitTimeout as error:
            raw.pgconn.finish()  # the protocol is in the middle of an answer
            raise psycopg.errors.QueryCanceled("PostgreSQL did not answer in time.") from error

    raw.wait = wait_for_the_server  # type: ignore[assignment,method-assign]
