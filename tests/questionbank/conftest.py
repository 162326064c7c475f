"""Shared by the tests of formats and services."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path

import pytest


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
