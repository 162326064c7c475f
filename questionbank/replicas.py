"""Pages that only read are read from a replica of the database that is at most two seconds behind.

A view is called with Django's default connection leading to a replica, so that its own SQL goes there too. Whatever
fails there is done again on the primary: a replica that is down or late, a page that is not there yet, a view that
writes (which is then known and goes to the primary at once). Who somebody is and what they may do is always asked of
the primary. Whoever has written reads from the primary until a replica has what they wrote; how far the log was then
stands in their session. Why no database router: docs/decisions/0103-more-machines-by-settings.md.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import structlog
from django.core.exceptions import MiddlewareNotUsed
from django.db import DEFAULT_DB_ALIAS, connections
from django.db import Error as DatabaseError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponse
from psycopg.errors import ReadOnlySqlTransaction

from analytics.errors import first_line
from questionbank.page_limits import limit_waiting

logger = structlog.get_logger(__name__)

MOST_BEHIND = 2.0  # seconds
LOOK_SECONDS = 0.5
ANSWER_SECONDS = 1.0  # so long the watcher waits for a replica
WRITTEN = "written_at"  # in a session: the position in the primary's log
ON_PRIMARY = frozenset({"health", "health_status"})  # pages about the server itself
_POSITION = "({} - '0/0'::pg_lsn)::bigint, (SELECT system_identifier FROM pg_control_system())"


def replica_aliases() -> list[str]:
    """Return the names of the replicas in Django's settings."""
    return [alias for alias in connections if alias != DEFAULT_DB_ALIAS]


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a replica is; `problem` says in a sentence why it cannot be used at all."""

    replayed: int = 0  # position in the log, bytes
    written: int = 0  # the primary's
    problem: str = ""

    @property
    def bytes_behind(self) -> int:
        """What the replica has yet to replay."""
        return max(0, self.written - self.replayed)


def examine(replica: BaseDatabaseWrapper) -> Standing:
    """Ask the primary, then the replica, over a connection for nothing else.

    Raises:
        DatabaseError: the primary does not answer.
    """
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(f"SELECT {_POSITION.format('pg_current_wal_lsn()')}")
        written, system = cursor.fetchone()
    try:
        is_new = replica.connection is None
        replica.ensure_connection()
        if is_new:
            limit_waiting(replica.connection, ANSWER_SECONDS)
        with replica.cursor() as cursor:
            position = _POSITION.format("pg_last_wal_replay_lsn()")
            cursor.execute(f"SELECT pg_is_in_recovery(), {position}")
            is_replica, replayed, its_system = cursor.fetchone()
    except DatabaseError as error:
        replica.close()
        return Standing(written=written, problem=f"It does not answer: {first_line(error)}")
    if its_system != system:
        return Standing(
            written=written, problem="It is a replica of another database: its system identifier differs."
        )
    if not is_replica:
        return Standing(written=written, problem="It is no replica: it takes writes.")
    return Standing(replayed=replayed or 0, written=written)


class Watcher:
    """Knows how far one replica is; a thread looks twice a second."""

    def __init__(self, alias: str) -> None:
        self.alias = alias
        self.standing = Standing(problem="Nobody has looked yet.")
        self._samples: deque[tuple[float, int]] = deque(maxlen=60)  # when, and how far the primary was
        self._as_of = float("-inf")

    @cached_property
    def _connection(self) -> BaseDatabaseWrapper:
        return connections[self.alias].copy()

    def look(self) -> None:
        """Find out how far the replica is. Its pages are as of the last sample of the primary that it has replayed."""
        now = time.monotonic()
        try:
            standing = examine(self._connection)
        except DatabaseError as error:
            connections[DEFAULT_DB_ALIAS].close()
            standing = Standing(problem=f"The primary does not answer: {error}")
        if standing.problem != self.standing.problem:
            logger.warning("replica_standing", replica=self.alias, problem=standing.problem or "none")
        self.standing = standing
        if not standing.problem:
            self._samples.append((now, standing.written))
            replayed = [when for when, written in self._samples if written <= standing.replayed]
            self._as_of = max(replayed, default=float("-inf"))

    def seconds_behind(self) -> float:
        """Return how old the replica's data may be; infinity where nobody knows."""
        return float("inf") if self.standing.problem else time.monotonic() - self._as_of

    def watch(self) -> None:
        """Look again and again."""
        while True:
            self.look()
            time.sleep(LOOK_SECONDS)


@contextmanager
def reading_from(alias: str) -> Iterator[None]:
    """Let this thread's default connection lead to a replica."""
    primary = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = connections[alias]
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = primary


class ReplicaMiddleware:
    """Read pages from a replica where there is one; the last middleware, so that all others use the primary."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.watchers = [Watcher(alias) for alias in replica_aliases()]
        self._writing: set[Any] = set()  # views that have tried to write in answer to a GET
        self._started = threading.Lock()
        if not self.watchers:
            raise MiddlewareNotUsed

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if self._started.acquire(blocking=False):  # in the process that serves, not in the one that forks
            for watcher in self.watchers:
                threading.Thread(target=watcher.watch, daemon=True).start()
        response = self.get_response(request)
        if self._writes(request) and request.session.session_key:
            with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
                cursor.execute("SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint")
                request.session[WRITTEN] = cursor.fetchone()[0]
        return response

    def _writes(self, request: HttpRequest) -> bool:
        match = request.resolver_match
        return request.method not in ("GET", "HEAD") or (match is not None and match.func in self._writing)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> HttpResponse | None:
        """Return the page as read from a replica; None: the view is called as usual, on the primary."""
        match = request.resolver_match
        if self._writes(request) or not request.user.is_authenticated or match is None:
            return None
        if match.url_name in ON_PRIMARY or "admin" in match.namespaces:
            return None
        written = request.session.get(WRITTEN, 0)
        ready = [
            watcher
            for watcher in self.watchers
            if watcher.seconds_behind() <= MOST_BEHIND and watcher.standing.replayed >= written
        ]
        if not ready:
            return None
        chosen = random.choice(ready)  # noqa: S311 - no secret
        try:
            with reading_from(chosen.alias):
                return view(request, *args, **kwargs)
        except Exception as error:  # noqa: BLE001 - what is a fault on the primary too, is raised by it
            if isinstance(error.__cause__, ReadOnlySqlTransaction):
                self._writing.add(match.func)
            logger.info("read_again_on_primary", replica=chosen.alias, reason=type(error).__name__)
            return None
