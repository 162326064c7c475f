"""Files, a small bank, and somebody logged in."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client

from questionbank.search import query
from tests.questionbank.page_bank import make_bank


@pytest.fixture(autouse=True)
def _nothing_kept(request, monkeypatch) -> None:
    """Counts of pages and the words of a search are kept for a while; not from one test to the next."""
    if request.node.get_closest_marker("django_db") or "db" in request.fixturenames:
        cache.clear()
        monkeypatch.setattr(query, "CHECK_AFTER", 0.0)


@pytest.fixture
def bank(db, teacher):
    """Six questions, three concepts, vectors under both lenses."""
    return make_bank(teacher)


@pytest.fixture
def as_teacher(client: Client, teacher) -> Client:
    client.force_login(teacher)
    return client


@pytest.fixture
def as_admin(client: Client, admin_person) -> Client:
    client.force_login(admin_person)
    return client


@pytest.fixture
def as_reviewer(client: Client, reviewer) -> Client:
    client.force_login(reviewer)
    return client


@pytest.fixture
def jsonl(tmp_path: Path):
    """Write rows (dicts, or text as it stands) as JSON Lines; returns the path."""

    def write(*rows: object, name: str = "questions.jsonl") -> Path:
        path = tmp_path / name
        lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    return write


@pytest.fixture
def log(monkeypatch) -> io.StringIO:
    """What the site's processes write."""
    written = io.StringIO()
    [console] = [handler for handler in logging.getLogger().handlers if handler.get_name() == "console"]
    monkeypatch.setattr(console, "stream", written)
    return written
