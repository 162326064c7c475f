"""What surrounds a training."""

from __future__ import annotations

import os

import pytest

from analytics.errors import Cancelled
from analytics.training.context import DEFAULT_CONTEXT, TrainingContext, wait_passively


def test_a_cancelled_context_says_why():
    DEFAULT_CONTEXT.check("Never said.")
    with pytest.raises(Cancelled, match="while triplets were made"):
        TrainingContext(cancel=lambda: True).check("Stopped while triplets were made.")


def test_callbacks_are_added_and_progress_gets_its_message():
    told = []
    context = TrainingContext(callbacks=(print,), progress=lambda *call: told.append(call))
    assert context.with_callbacks(repr).callbacks == (print, repr)
    context.progress_of("Encoding")(3, 9)
    assert told == [(3, 9, "Encoding")]


def test_waiting_is_passive_unless_somebody_chose_otherwise(monkeypatch):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    wait_passively()
    assert os.environ["OMP_WAIT_POLICY"] == "passive"
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    wait_passively()
    assert os.environ["OMP_WAIT_POLICY"] == "active"
