from __future__ import annotations

import os

from analytics.training.threads import wait_passively


def test_waiting_is_passive_unless_somebody_chose_otherwise(monkeypatch):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    wait_passively()
    assert os.environ["OMP_WAIT_POLICY"] == "passive"
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    wait_passively()
    assert os.environ["OMP_WAIT_POLICY"] == "active"
