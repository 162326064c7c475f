"""Connections of a worker that hang, through a proxy that falls silent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import Error as DatabaseError
from django.db import connection
from django.db.backends.signals import connection_created

from questionbank.core.outage import Outage, outage_of
from tests.faults.proxy import Proxy
from worker.celery import WaitingConnections

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    parameters = connection.get_connection_params()
    started = Proxy(Path(parameters["host"]) / f".s.PGSQL.{parameters.get('port') or 5432}")
    yield started
    started.close()


@pytest.fixture
def waiting(proxy) -> Iterator[WaitingConnections]:
    """Watches the connections that a test opens; it looks when the test says so."""
    watching = WaitingConnections()
    watching._look_often = lambda: None
    watching.watch()
    yield watching
    connection_created.disconnect(watching._add)


@pytest.fixture
def distant(waiting, proxy):
    """A connection by way of the proxy."""
    opened = connection.copy()
    opened.settings_dict = {**opened.settings_dict, "HOST": "127.0.0.1", "PORT": proxy.port}
    yield opened
    opened.close()


class Asking(threading.Thread):
    """Somebody who waits for an answer; `error` is what they got instead."""

    def __init__(self, asked, statement: str) -> None:
        super().__init__(daemon=True)
        self._asked, self._statement = asked, statement
        self.error: Exception | None = None
        self.start()

    def run(self) -> None:
        try:
            with self._asked.cursor() as cursor:
                cursor.execute(self._statement)
        except DatabaseError as error:
            self.error = error


def wait_until(condition) -> None:
    for _attempt in range(600):
        if condition():
            return
        threading.Event().wait(0.05)
    raise AssertionError("waited in vain")


def test_a_worker_that_waits_on_a_silent_connection_meets_a_lost_one(distant, waiting, proxy):
    distant.ensure_connection()
    distant.inc_thread_sharing()
    proxy.fall_silent()
    asking = Asking(distant, "SELECT 1")
    wait_until(lambda: waiting._since)
    assert waiting.close_hung(patience=0) == 1
    asking.join(timeout=30)
    assert outage_of(asking.error) is Outage.LOST


def test_a_statement_that_takes_long_is_left_in_peace(distant, waiting):
    distant.ensure_connection()
    distant.inc_thread_sharing()
    backend = distant.connection.info.backend_pid
    asking = Asking(distant, "SELECT pg_sleep(60)")
    with connection.cursor() as cursor:

        def sleeps() -> bool:
            cursor.execute("SELECT FROM pg_stat_activity WHERE pid = %s AND wait_event = 'PgSleep'", [backend])
            return cursor.fetchone() is not None

        wait_until(sleeps)
        assert waiting.close_hung(patience=0) == 0
        cursor.execute("SELECT pg_cancel_backend(%s)", [backend])
    asking.join(timeout=30)
    assert outage_of(asking.error) is Outage.SLOW
