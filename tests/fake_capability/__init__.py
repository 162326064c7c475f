"""A capability with a page and a job that the tests add: a package, and a line in each of the three tables.

What it needs of the program besides is what `CONTRIBUTING.md` must promise; the test fails where that is more.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.urls import clear_url_caches

WORD = "gauge"


def install(monkeypatch: pytest.MonkeyPatch, settings) -> None:
    """Add the line to each table, and the folder of its templates."""
    from analytics.catalog import CAPABILITIES
    from questionbank import urls
    from questionbank.core.capability_contract import BANK_CAPABILITIES
    from tests.fake_capability import bank, library, work
    from worker.catalog import WORKER_CAPABILITIES

    monkeypatch.setitem(CAPABILITIES, WORD, library.GaugeCapability())
    monkeypatch.setitem(BANK_CAPABILITIES, WORD, bank.GaugeInBank())
    monkeypatch.setitem(WORKER_CAPABILITIES, WORD, work.GaugeWork())
    # The addresses were collected when the process began.
    monkeypatch.setattr(urls, "urlpatterns", [*urls.urlpatterns, *bank.GaugeInBank().pages()])
    clear_url_caches()
    (engine,) = settings.TEMPLATES
    folder = Path(__file__).parent / "templates"
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], folder]}]
