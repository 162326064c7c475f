"""Hung connections to PostgreSQL: open, but no answer will ever come.

A firewall that forgets a connection, a proxy that stops or a server that is cut off leaves a worker waiting forever.
No timeout can distinguish that from a statement that takes hours, such as building an index. So for a connection that
has waited for a minute, the server is queried on a new connection: if its backend is not working, the connection is
closed, and the job gets a lost connection.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Any

import psycopg
import structlog
from django.conf import settings
from django.db import connections
from django.db.backends.signals import connection_created

from questionbank.core.outage import limit_waiting

logger = structlog.get_logger(__name__)

PATIENCE_SECONDS = 60.0
LOOK_SECONDS = 10.0


class WaitingConnections:
    """The connections of this process that are waiting for an answer, and since when."""

    def __init__(self) -> None:
        self._since: dict[psycopg.Connection[Any], float] = {}
        self._watched_by = 0  # process id: a thread does not survive a fork

    def watch(self) -> None:
        """Watch every connection that this process and its children open from now on.

        Not behind a pooler, where the client cannot know which backend works for it.
        """
        if not settings.BEHIND_POOLER:
            connection_created.connect(self._add, weak=False)

    def _add(self, connection: Any, **_sent: Any) -> None:
        raw = connection.connection
        wait = raw.wait

        def wait_noted(*arguments: Any, **options: Any) -> Any:
            self._since[raw] = time.monotonic()
            try:
                return wait(*arguments, **options)
            finally:
                self._since.pop(raw, None)

        raw.wait = wait_noted
        if self._watched_by != os.getpid():
            self._watched_by = os.getpid()
            self._since.clear()  # entries of the parent process
            threading.Thread(target=self._look_often, daemon=True).start()

    def _look_often(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            self.close_hung()

    def close_hung(self, *, patience: float = PATIENCE_SECONDS) -> int:
        """Close connections that have waited this long and for which the server is not working; return their number."""
        began = time.monotonic() - patience
        waiting = {raw: since for raw, since in list(self._since.items()) if since < began}
        closed = 0
        for raw, since in waiting.items() if waiting else ():
            with suppress(psycopg.Error, OSError):  # the server is down: retry with the next look
                if not _backend_works(raw.info.backend_pid) and self._since.get(raw) == since:
                    logger.warning("hung_connection", waited=round(time.monotonic() - since))
                    with socket.socket(fileno=os.dup(raw.fileno())) as stream:
                        stream.shutdown(socket.SHUT_RDWR)
                    closed += 1
        return closed


def _backend_works(pid: int) -> bool:
    """Query the server on a new connection whether a backend is working; one that waits for its client is not."""
    with psycopg.connect(**connections["default"].get_connection_params()) as fresh:
        limit_waiting(fresh, LOOK_SECONDS)
        row = fresh.execute(
            "SELECT FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
            " AND wait_event_type IS DISTINCT FROM 'Client'",
            [pid],
        ).fetchone()
        return row is not None
