"""Files of questions, and what a job made of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

TEXTS = [f"Tom has {number} bags of {number % 7 + 2} apples. How many has he?" for number in range(50)]


def write_lines(path: Path, rows: list[object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def block_files(folder: Path) -> dict[str, bytes]:
    """The bytes of every block of results, by its name."""
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.parquet"))}


@pytest.fixture
def questions(tmp_path) -> Path:
    """50 questions as JSON Lines."""
    return write_lines(tmp_path / "questions.jsonl", [{"id": n, "text": text} for n, text in enumerate(TEXTS)])
