"""Every test reads the vocabulary anew: the process keeps it for half a minute."""

from __future__ import annotations

import pytest

from questionbank.search import spelling


@pytest.fixture(autouse=True)
def fresh_vocabulary(monkeypatch):
    monkeypatch.setattr(spelling, "CHECK_AFTER", 0.0)
