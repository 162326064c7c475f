"""The thread by which a worker says that it lives."""

from __future__ import annotations

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
        redis.ConnectionError("the broker restarts"),
        InterfaceError("the connection is closed"),
        ProgrammingError("relation does not exist"),  # it started before the first migration
    ],
)
def test_the_heartbeat_outlives_what_it_depends_on(monkeypatch, error):
    seen = []

    def see(*, name, queues):
        seen.append((name, queues))
        if not isinstance(error, redis.RedisError):
            raise error

    def reconcile():
        raise error

    monkeypatch.setattr(celery, "runs_reconcile", reconcile)
    monkeypatch.setattr(celery, "worker_seen", see)
    monkeypatch.setattr(celery, "close_old_connections", lambda: None)
    monkeypatch.setattr(celery, "_stop", _Beats(3))
    celery._beat("default@here", "default")
    assert seen == [("default@here", "default")] * 3
