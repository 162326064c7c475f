"""One training at a time on a GPU."""

from __future__ import annotations

import pytest
import torch

from analytics.errors import Cancelled
from questionbank.jobs.resume_services import block_claim
from questionbank.models import WorkBlock
from tests.worker.jobs import Reporter
from worker import candidates as gpu
from worker.candidates import gpu_turn

pytestmark = pytest.mark.django_db

CARD = torch.device("cuda")


@pytest.fixture(autouse=True)
def card(monkeypatch):
    monkeypatch.setattr(gpu, "gpu_name", lambda device: "gpu/GPU-1234")
    monkeypatch.setattr(gpu, "WAIT_SECONDS", 0)


def hold() -> WorkBlock | None:
    """Take the card as another process does; None: somebody has it."""
    WorkBlock.objects.get_or_create(job="gpu/GPU-1234")
    return block_claim(job="gpu/GPU-1234")


def test_a_training_waits_for_the_card_and_can_be_cancelled_meanwhile():
    assert hold()
    reporter = Reporter(cancelled_at=3)
    with pytest.raises(Cancelled), gpu_turn(reporter, CARD):
        pytest.fail("somebody else has the card")
    assert reporter.messages == ["Waiting for another training that uses the GPU"] * 2


def test_the_card_is_held_inside_and_given_back_also_after_a_failure():
    def fail() -> None:
        with gpu_turn(Reporter(), CARD):
            assert hold() is None
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert hold()


def test_a_processor_needs_no_turn():
    with gpu_turn(Reporter(), torch.device("cpu")):
        assert hold()
