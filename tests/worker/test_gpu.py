"""One training at a time on a GPU."""

from __future__ import annotations

import psycopg
import pytest
import torch
from django.db import connection

from analytics.errors import Cancelled
from worker import gpu
from worker.gpu import gpu_turn

pytestmark = pytest.mark.django_db

CARD = torch.device("cuda")


class Reporter:
    """Cancelled when it is asked for the third time."""

    def __init__(self) -> None:
        self.asked = 0
        self.messages: list[str] = []

    def check(self) -> None:
        self.asked += 1
        if self.asked == 3:
            raise Cancelled("The job was cancelled.")

    def progress(self, done, total, message="") -> None:
        self.messages.append(message)


@pytest.fixture(autouse=True)
def card(monkeypatch):
    monkeypatch.setattr(gpu, "gpu_name", lambda device: "gpu/GPU-1234")
    monkeypatch.setattr(gpu, "WAIT_SECONDS", 0)


@pytest.fixture
def another_process(db):
    parameters = connection.get_connection_params()
    address = {key: parameters[key] for key in ("host", "user", "dbname")}
    with psycopg.connect(**address, autocommit=True) as session:
        yield session


def taken(session) -> bool:
    is_free = session.execute("SELECT pg_try_advisory_lock(hashtext('kindred/gpu/GPU-1234'))").fetchone()[0]
    if is_free:
        session.execute("SELECT pg_advisory_unlock(hashtext('kindred/gpu/GPU-1234'))")
    return not is_free


def test_a_training_waits_for_the_card_and_can_be_cancelled_meanwhile(another_process):
    another_process.execute("SELECT pg_advisory_lock(hashtext('kindred/gpu/GPU-1234'))")
    reporter = Reporter()
    with pytest.raises(Cancelled), gpu_turn(reporter, CARD):
        pytest.fail("somebody else has the card")
    assert reporter.messages == ["Waiting for another training that uses the GPU"] * 2


def test_the_card_is_held_inside_and_given_back_also_after_a_failure(another_process):
    def fail() -> None:
        with gpu_turn(Reporter(), CARD):
            assert taken(another_process)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert not taken(another_process)


def test_a_processor_needs_no_turn(another_process):
    with gpu_turn(Reporter(), torch.device("cpu")):
        assert not taken(another_process)
