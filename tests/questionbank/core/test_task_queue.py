"""Which messages may still begin a run."""

from __future__ import annotations

import pytest

from questionbank.core import task_queue


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    messages = {"waiting": set[str](), "taken": set[str]()}
    monkeypatch.setattr(task_queue, "_waiting_message_ids", lambda: messages["waiting"])
    monkeypatch.setattr(task_queue, "_taken_message_ids", lambda: messages["taken"])
    monkeypatch.setattr(task_queue, "_taken_since", {})
    return messages


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> set[str]:
    monkeypatch.setattr(task_queue.time, "monotonic", lambda: seconds)
    return task_queue.pending_message_ids()


def test_a_message_that_a_worker_took_and_never_began_counts_for_a_while(broker, monkeypatch) -> None:
    broker["waiting"], broker["taken"] = {"waits"}, {"taken"}
    assert at(monkeypatch, 100) == {"waits", "taken"}
    assert at(monkeypatch, 100 + task_queue.TAKEN_SECONDS - 1) == {"waits", "taken"}
    assert at(monkeypatch, 100 + task_queue.TAKEN_SECONDS) == {"waits"}
    broker["waiting"] = {"waits", "taken"}  # sent again
    assert at(monkeypatch, 200) == {"waits", "taken"}


def test_a_message_that_is_taken_again_counts_from_then(broker, monkeypatch) -> None:
    broker["taken"] = {"taken"}
    assert at(monkeypatch, 0) == {"taken"}
    broker["taken"] = set()
    assert at(monkeypatch, 20) == set()
    broker["taken"] = {"taken"}
    assert at(monkeypatch, 40) == {"taken"}
    assert at(monkeypatch, 60) == {"taken"}
