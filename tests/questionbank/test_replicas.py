"""Pages read from a real streaming replica of the tests' own server."""

from __future__ import annotations

import inspect
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg
import pytest
from django.conf import settings as django_settings
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpResponse
from django.test import Client
from django.urls import resolve, reverse

from questionbank import replicas
from questionbank.embedded import EmbeddedError, ensure, locations, postgres, replica
from questionbank.embedded.locations import PostgresLocation, postgres_location
from questionbank.models import Question
from tests.factories import QuestionFactory
from tests.pooler import admit

pytestmark = pytest.mark.django_db(transaction=True)


def ask(location: PostgresLocation, statement: str) -> list:
    with psycopg.connect(
        host=str(location.socket_directory), user="postgres", dbname="postgres", autocommit=True
    ) as server:
        cursor = server.execute(statement)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture(scope="session")
def replica_location(django_db_setup, django_db_blocker) -> Iterator[PostgresLocation]:
    """A replica of the tests' server, which is started again once so that it has one."""
    var_dir = django_settings.VAR_DIR
    primary = postgres_location(var_dir)
    if ask(primary, "SHOW wal_level") == [("minimal",)]:
        for setting in ("wal_level = replica", "max_wal_senders = 4", "wal_keep_size = 64"):
            ask(primary, f"ALTER SYSTEM SET {setting}")
        with django_db_blocker.unblock():
            connections.close_all()
        postgres.stop(var_dir)
        ensure(var_dir, ["postgres"])
        admit(primary.home)  # which starting it has taken back
        ask(primary, "SELECT pg_reload_conf()")
    folder = Path(tempfile.mkdtemp(prefix="kindred-replica-"))
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locations, "STATE_ROOT", folder)
        postgres.start_replica(
            folder / "var", f"postgres://postgres@/postgres?host={primary.socket_directory}"
        )
        location, process = postgres_location(folder / "var"), postgres.status(folder / "var")
    assert process is not None
    yield location
    server = psutil.Process(process)
    server.send_signal(signal.SIGQUIT)  # at once, without a last checkpoint
    server.wait(30)
    shutil.rmtree(folder)


@pytest.fixture
def watchers(replica_location, monkeypatch) -> Iterator[list[replicas.Watcher]]:
    """The watchers of the clients that a test makes, which look when the test says so."""
    made: list[replicas.Watcher] = []

    class Watched(replicas.Watcher):
        def __init__(self, alias: str) -> None:
            super().__init__(alias)
            made.append(self)

        def watch(self) -> None:
            pass

    monkeypatch.setattr(replicas, "Watcher", Watched)
    connections.settings["replica1"] = {
        **connection.settings_dict,
        "HOST": str(replica_location.socket_directory),
    }
    # pytest-django refuses connections to databases that it has not prepared.
    refusing = inspect.getclosurevars(BaseDatabaseWrapper.ensure_connection).nonlocals
    monkeypatch.setattr(BaseDatabaseWrapper, "ensure_connection", refusing["real_ensure_connection"])
    yield made
    for watcher in made:
        watcher._connection.close()
    connections["replica1"].close()
    del connections["replica1"], connections.settings["replica1"]


@pytest.fixture
def client(watchers, teacher) -> Client:
    """Somebody who is logged in, with a replica that has caught up."""
    client = Client()
    client.force_login(teacher)
    client.get(reverse("account_login"))  # loads the middleware
    caught_up(watchers)
    return client


def caught_up(watchers: list[replicas.Watcher]) -> None:
    deadline = time.monotonic() + 20
    while True:
        for watcher in watchers:
            watcher.look()
        if all(watcher.standing.bytes_behind == 0 and not watcher.standing.problem for watcher in watchers):
            return
        assert time.monotonic() < deadline, [watcher.standing for watcher in watchers]
        time.sleep(0.02)


@pytest.fixture
def read_from() -> Callable[..., list[str]]:
    """Calls a function and returns where statements went."""

    def watched(call: Callable[[], object]) -> list[str]:
        seen: list[str] = []

        def note(execute, sql, params, many, context):
            seen.append(context["connection"].alias)
            return execute(sql, params, many, context)

        with connections["replica1"].execute_wrapper(note):
            call()
        return seen

    return watched


def test_a_page_is_read_from_a_replica_and_a_writer_reads_what_they_wrote(
    client, watchers, read_from, replica_location, teacher
):
    question = QuestionFactory(text="How long is the bridge?")
    caught_up(watchers)
    address = reverse("question_detail", args=[question.pk])
    pages: list = []
    assert read_from(lambda: pages.append(client.get(address)))
    assert "How long is the bridge?" in pages[0].content.decode()

    ask(replica_location, "SELECT pg_wal_replay_pause()")
    try:
        client.post(reverse("list_index"), {"name": "Bridges"})
        assert client.session[replicas.WRITTEN] > 0
        for watcher in watchers:
            watcher.look()
        assert not read_from(lambda: pages.append(client.get(reverse("list_index"))))
        assert "Bridges" in pages[-1].content.decode()
        later = QuestionFactory(text="How deep is the river?")  # a colleague's
        assert client.get(reverse("question_detail", args=[later.pk])).status_code == 200
        for watcher in watchers:
            watcher._as_of -= replicas.MOST_BEHIND
        assert not read_from(lambda: client.get(address))
    finally:
        ask(replica_location, "SELECT pg_wal_replay_resume()")
    caught_up(watchers)
    assert read_from(lambda: client.get(address))


def test_a_view_that_writes_is_done_on_the_primary_and_remembered(client, watchers):
    question = QuestionFactory()
    request = client.get(reverse("question_detail", args=[question.pk])).wsgi_request
    request.resolver_match = resolve(request.path_info)
    middleware = replicas.ReplicaMiddleware(lambda request: HttpResponse())
    caught_up(watchers)
    request.session.pop(replicas.WRITTEN, None)
    calls: list[str] = []

    def writing(request, question_id):
        calls.append(connection.alias)
        Question.objects.filter(pk=question_id).update(version=7)
        return HttpResponse()

    for _visit in range(2):
        assert middleware.process_view(request, writing, (), {"question_id": question.pk}) is None
    assert calls == ["replica1"]  # it is known now
    middleware(request)
    assert request.session[replicas.WRITTEN] > 0


def test_a_replica_that_goes_away_costs_nobody_a_page(client, watchers, read_from, replica_location):
    question = QuestionFactory()
    caught_up(watchers)
    address = reverse("question_detail", args=[question.pk])
    assert read_from(lambda: client.get(address))
    ask(replica_location, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'kindred'")
    assert client.get(address).status_code == 200  # the watcher has not noticed
    connections["replica1"].close()
    connections.settings["replica1"]["HOST"] = connections["replica1"].settings_dict["HOST"] = "/nowhere"
    watchers[0]._connection.settings_dict["HOST"] = "/nowhere"
    watchers[0]._connection.close()
    assert client.get(address).status_code == 200
    watchers[0].look()
    assert watchers[0].standing.problem.startswith("It does not answer: ")
    assert watchers[0].seconds_behind() == float("inf")


def test_a_server_that_takes_writes_is_no_replica(watchers):
    primary = connection.copy()
    assert replicas.examine(primary).problem == "It is no replica: it takes writes."
    primary.close()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("address", "The primary does not answer: "),
        ("system", "is a replica of another server: move it away"),
        ("bank", "holds a bank of its own: choose another VAR_DIR"),
    ],
)
def test_what_cannot_be_a_replica_is_one_sentence(replica_location, change, sentence, monkeypatch, tmp_path):
    primary = (
        f"postgres://postgres@/postgres?host={postgres_location(django_settings.VAR_DIR).socket_directory}"
    )
    location = replica_location
    if change == "address":
        primary = "postgres://postgres@/postgres?host=/nowhere"
    elif change == "system":
        monkeypatch.setattr(replica, "_system_identifier", lambda *given: "7")
    else:
        location = PostgresLocation(tmp_path, tmp_path)
    with pytest.raises(EmbeddedError, match=sentence):
        replica.prepare(location, location.binaries, None, primary, listen="")


def test_serve_keeps_a_replica_until_it_is_told_to_stop(replica_location):
    primary = postgres_location(django_settings.VAR_DIR).socket_directory
    folder = Path(tempfile.mkdtemp(prefix="kindred-serve-"))
    folder.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    serving = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--replica", f"postgres://postgres@/postgres?host={primary}"],
        cwd=django_settings.BASE_DIR,
        env={
            **environment,
            "DJANGO_SETTINGS_MODULE": "questionbank.settings",
            "VAR_DIR": str(folder / "var"),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    with serving:
        said = serving.stdout.readline()
        assert said.startswith("The replica answers at "), said + serving.stdout.read()
        with psycopg.connect(
            host=str(postgres_location(folder / "var").socket_directory), user="postgres", dbname="postgres"
        ) as replica_of_it:
            assert replica_of_it.execute("SELECT pg_is_in_recovery()").fetchone() == (True,)
        serving.terminate()
        assert serving.stdout.read() == "The replica has stopped.\n"
    assert serving.returncode == 0
    shutil.rmtree(folder)
