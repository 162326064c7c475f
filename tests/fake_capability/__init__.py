"""A capability that the tests add to the program: a package, and a line in each of the three tables. Nothing else.

What it needs of the program besides is what `CONTRIBUTING.md` must promise; the test fails where that is more.
"""

from __future__ import annotations

from pathlib import Path

import pytest

WORD = "gauge"


def install(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    """Add the line to each table, and the folder of its templates."""
    from analytics.catalog import CAPABILITIES
    from questionbank.capabilities.catalog import BANK_CAPABILITIES
    from tests.fake_capability import bank, library, work
    from worker.catalog import WORKER_CAPABILITIES

    monkeypatch.setitem(CAPABILITIES, WORD, library.ROW)
    monkeypatch.setitem(BANK_CAPABILITIES, WORD, bank.ROW)
    monkeypatch.setitem(WORKER_CAPABILITIES, WORD, work.ROW)
    (engine,) = settings.TEMPLATES
    folder = Path(__file__).parent / "templates"
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], folder]}]
