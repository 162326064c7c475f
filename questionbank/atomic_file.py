"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from questionbank.errors import ValidationFailed

__all__ = ["written_aside"]


@contextmanager
def written_aside(target: Path) -> Iterator[BinaryIO]:
    """A new file beside `target` that takes its place at the end; on any error nothing is left of it.

    Raises:
        ValidationFailed: the file cannot be written there.
    """
    if target.is_dir():
        raise ValidationFailed(f"{target} is a folder; give the name of a file.")
    aside = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    try:
        with aside.open("xb") as raw:
            yield raw
            raw.flush()
            os.fsync(raw.fileno())
        aside.replace(target)
    except OSError as error:
        raise ValidationFailed(f"{target} cannot be written: {error.strerror or error}.") from error
    finally:
        aside.unlink(missing_ok=True)
