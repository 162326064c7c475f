"""Connections to PostgreSQL that hang: open, but no answer will ever come.

A firewall that forgets a connection, a proxy that stops or a server that is cut off leave a worker waiting for ever.
No time limit tells that from a statement that takes hours, such as building an index. So whoever has waited for a
minute is looked for at the server, on a new connection: if their backend does nothing for them, the connection is
closed, and the job meets a lost connection.
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
    """The connections of this process on which somebody waits for an answer, and since when."""

    def __init__(self) -> None:
        self._since: dict[psycopg.Connection[Any], float] = {}
        self._watched_by = 0  # process id: a thread does not survive a fork

    def watch(self) -> None:
        """Look after every connection that this process and its children open from now on.

        Behind a pooler nobody knows which backend works for whom.
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
            self._since.clear()  # those of the parent
            threading.Thread(target=self._look_often, daemon=True).start()

    def _look_often(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            self.close_hung()

    def close_hung(self, *, patience: float = PATIENCE_SECONDS) -> int:
        """Close the connections that have waited for so long and for which the server does nothing; return how many."""
        began = time.monotonic() - patience
        waiting = {raw: since for raw, since in list(self._since.items()) if since < began}
        closed = 0
        for raw, since in waiting.items() if waiting else ():
            with suppress(psycopg.Error, OSError):  # the server is away: the next look tells
                if not _backend_works(raw.info.backend_pid) and self._since.get(raw) == since:
                    logger.warning("hung_connection", waited=round(time.monotonic() - since))
                    with socket.socket(fileno=os.dup(raw.fileno())) as stream:
                        stream.shutdown(socket.SHUT_RDWR)
                    closed += 1
        return closed


def _backend_works(pid: int) -> bool:
    """Ask the server on a new connection whether a backend is at work; one that waits for its client is not."""
    with psycopg.connect(**connections["default"].get_connection_params()) as fresh:
        limit_waiting(fresh, LOOK_SECONDS)
        row = fresh.execute(
            "SELECT FROM pg_stat_activity WHERE pid = %s AND state = 'active'"
            " AND wait_event_type IS DISTINCT FROM 'Client'",
            [pid],
        ).fetchone()
        return row is not None
