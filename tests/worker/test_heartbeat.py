"""The thread by which a worker says that it lives."""

from __future__ import annotations

import itertools

import pytest
import redis
from django.db import InterfaceError, ProgrammingError

from worker import celery


class _Beats:
    """Stands for the event that ends the thread: lets it beat so many times."""

    def __init__(self, beats: int) -> None:
        self.left = beats

    def wait(self, seconds: float) -> bool:
        self.left -= 1
        return self.left == 0


@pytest.mark.parametrize(
    "error",
    [
        InterfaceError("the connection is closed"),
        ProgrammingError("relation does not exist"),  # it started before the first migration
    ],
)
def test_the_heartbeat_outlives_what_it_depends_on(monkeypatch, error):
    seen = []

    def see(*, name, queues):
        seen.append((name, queues))
        raise error

    monkeypatch.setattr(celery, "worker_seen", see)
    monkeypatch.setattr(celery, "close_old_connections", lambda: None)
    monkeypatch.setattr(celery, "_stop", _Beats(3))
    celery._beat("default@here", "default")
    assert seen == [("default@here", "default")] * 3


@pytest.mark.parametrize(
    "error", [redis.ConnectionError("the broker restarts"), InterfaceError("closed"), ValueError("a fault")]
)
def test_the_reconciler_outlives_what_it_depends_on(monkeypatch, error):
    rounds = []

    def reconcile(*, watching_since):
        rounds.append(watching_since)
        raise error

    monkeypatch.setattr(celery, "runs_reconcile", reconcile)
    monkeypatch.setattr(celery, "database_now", itertools.count(1).__next__)
    monkeypatch.setattr(celery, "close_old_connections", lambda: None)
    monkeypatch.setattr(celery, "_stop", _Beats(3))
    celery._reconcile()
    assert len(rounds) == 3
    assert len(set(rounds)) == 1


def test_a_reconciler_that_begins_without_a_database_watches_from_when_it_is_there(monkeypatch):
    rounds, answers = [], iter([InterfaceError("closed"), 5])

    def database_now():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(celery, "runs_reconcile", lambda *, watching_since: rounds.append(watching_since))
    monkeypatch.setattr(celery, "database_now", database_now)
    monkeypatch.setattr(celery, "close_old_connections", lambda: None)
    monkeypatch.setattr(celery, "_stop", _Beats(3))
    celery._reconcile()
    assert rounds == [5, 5]


def test_a_reconciler_that_was_stopped_has_not_been_watching(monkeypatch):
    rounds = []
    clock = iter([0.0, 2.0, 2.0, 60.0, 60.0, 62.0, 62.0])
    monkeypatch.setattr(celery.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(celery, "runs_reconcile", lambda *, watching_since: rounds.append(watching_since))
    monkeypatch.setattr(celery, "database_now", itertools.count(1).__next__)
    monkeypatch.setattr(celery, "_stop", _Beats(4))
    celery._reconcile()
    first, second, third, fourth = rounds
    assert first == second < third == fourth
