"""Files that tests of formats read."""

from __future__ import annotations

from pathlib import Path


def saved(folder: Path, content: str | bytes, name: str = "bank.xml") -> Path:
    """The path of a file with some content."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def named(folder: Path, name: str, content: str | bytes) -> Path:
    """The path of a file with a name, which says more than its content."""
    return saved(folder, content, name)
