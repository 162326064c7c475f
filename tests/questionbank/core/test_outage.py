"""Pages while PostgreSQL or Redis restarts: on real connections, which the tests end."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import psycopg
import pytest
import redis
from django.db import IntegrityError, OperationalError, connection
from django.test import Client
from django.urls import reverse

from questionbank.bank import home_views as home
from questionbank.core import outage as page_limits
from questionbank.core.errors import ServiceUnavailable
from questionbank.core.outage import Outage, database_awaited, outage_of


def backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]


def end_connection(pid: int | None = None) -> None:
    """As a restart does: the server ends our connection, and we learn of it at the next statement."""
    pid = pid or backend()
    parameters = connection.get_connection_params()
    address = {key: parameters[key] for key in ("host", "user", "dbname")}
    with psycopg.connect(**address, autocommit=True) as another:
        another.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


@pytest.fixture
def client(django_user_model, transactional_db) -> Iterator[Client]:
    client = Client(raise_request_exception=False)
    client.force_login(django_user_model.objects.create_superuser("somebody", password="x"))
    yield client
    connection.close()  # the test client keeps one that has ended


@pytest.fixture
def overview(monkeypatch):
    """Runs a function before the home page reads the bank."""
    read = home.bank_overview
    calls = []

    def install(before) -> list[int]:
        def overview():
            calls.append(1)
            before(len(calls))
            return read()

        monkeypatch.setattr(home, "bank_overview", overview)
        return calls

    return install


def test_a_page_whose_connection_ended_is_read_once_more(client, overview, log):
    calls = overview(lambda call: end_connection() if call == 1 else None)
    assert client.get(reverse("home")).status_code == 200
    assert len(calls) == 2
    assert "terminating connection" in log.getvalue()
    assert "Traceback" not in log.getvalue()


def test_a_page_is_503_and_loads_itself_again_while_the_database_is_away(client, overview, log):
    calls = overview(lambda call: end_connection())
    response = client.get(reverse("home"))
    page = response.content.decode()
    assert (response.status_code, response["Retry-After"], len(calls)) == (503, "3", 2)
    assert "Back in a moment" in page
    assert '<meta http-equiv="refresh" content="3">' in page
    assert "Traceback" not in log.getvalue()


def test_a_form_is_sent_once_and_never_repeated(client, overview, monkeypatch):
    calls = []

    def fail(**given):
        calls.append(given)
        end_connection()
        connection.cursor().execute("SELECT 1")

    monkeypatch.setattr("questionbank.operations.views.run_get", fail)
    response = client.post(reverse("run_cancel", args=[1]))
    page = response.content.decode()
    assert (response.status_code, len(calls)) == (503, 1)
    assert "We do not know whether your last step was saved" in page
    assert "http-equiv" not in page


def test_the_session_is_read_again_too(client):
    client.get(reverse("home"))
    end_connection()
    assert client.get(reverse("home")).status_code == 200


def test_a_statement_that_takes_too_long_ends_in_a_503(client, overview, monkeypatch):
    monkeypatch.setattr(page_limits, "STATEMENT_SECONDS", 0.05)

    def wait(_call):
        connection.close()
        page_limits.limit_page_connections()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(30)")

    calls = overview(wait)
    try:
        response = client.get(reverse("home"))
    finally:
        page_limits.connection_created.disconnect(dispatch_uid="page_limits")
        connection.close()
    assert (response.status_code, len(calls)) == (503, 1)
    assert "This took too long" in response.content.decode()


def test_a_server_that_never_answers_is_given_up_by_the_client(transactional_db, monkeypatch):
    monkeypatch.setattr(page_limits, "CLIENT_SECONDS", 0.2)
    connection.close()
    page_limits.limit_page_connections()
    pid = backend()
    try:
        with pytest.raises(OperationalError) as caught, connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(30)")
    finally:
        page_limits.connection_created.disconnect(dispatch_uid="page_limits")
        connection.close()
    end_connection(pid)  # the server has not heard that nobody waits any more
    assert outage_of(caught.value) is Outage.SLOW
    assert database_awaited(seconds=0)


def test_redis_that_is_away_is_a_503(client, overview):
    def fail(_call):
        raise redis.ConnectionError("No such file or directory")

    overview(fail)
    assert client.get(reverse("home")).status_code == 503


def test_a_log_in_without_redis_is_a_503(settings, db):
    from questionbank.settings import CACHES  # those of the tests are in memory

    settings.CACHES = {"default": {**CACHES["default"], "LOCATION": "redis://127.0.0.1:1/0"}}
    response = Client(raise_request_exception=False).post(
        reverse("account_login"), {"login": "teacher", "password": "wrong"}
    )
    assert response.status_code == 503
    assert response["Retry-After"]


@pytest.mark.parametrize(
    ("error", "outage"),
    [
        (psycopg.errors.AdminShutdown("terminating connection"), Outage.LOST),
        (psycopg.OperationalError("connection failed"), Outage.LOST),
        (psycopg.InterfaceError("the connection is closed"), Outage.LOST),
        (psycopg.InterfaceError("the cursor has no result"), None),
        (psycopg.errors.DeadlockDetected("deadlock"), None),
        (psycopg.errors.DiskFull("could not extend file"), Outage.FULL),
        (OSError(errno.ENOSPC, "No space left on device"), Outage.FULL),
        (OSError(errno.EACCES, "Permission denied"), None),
        (IntegrityError("duplicate key"), None),
        (redis.ResponseError("MISCONF Errors writing to the AOF file: No space left on device"), Outage.FULL),
        (redis.ResponseError("WRONGTYPE"), None),
    ],
)
def test_outages_are_told_from_faults(error, outage):
    assert outage_of(error) is outage
    wrapped = ServiceUnavailable("Not now.")
    wrapped.__cause__ = OperationalError("wrapped")
    wrapped.__cause__.__cause__ = error
    assert outage_of(wrapped) is outage
