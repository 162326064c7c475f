"""Files that are written atomically: under a temporary name, flushed to disk, then renamed. Torch-free."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO


@contextmanager
def written_aside(target: Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """Open a new file next to `target` that replaces it at the end of the block; on error it is removed.

    Args:
        target: the file to write; its folder exists.
        mode: permissions of the file; by default those of a new file.

    Raises:
        OSError: the file cannot be written there.
    """
    aside = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    try:
        with aside.open("xb") as stream:
            if mode is not None:
                os.fchmod(stream.fileno(), mode)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)


def write_text(target: Path, text: str) -> None:
    """Write a text atomically.

    Raises:
        OSError: the file cannot be written there.
    """
    with written_aside(target) as stream:
        stream.write(text.encode())


def write_json(target: Path, value: Any) -> None:
    """Write plain values as indented JSON, atomically.

    Raises:
        OSError: the file cannot be written there.
    """
    write_text(target, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
