"""Files that are written whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from analytics import atomic_file
from questionbank.errors import ValidationFailed


@contextmanager
def written_aside(target: Path) -> Iterator[BinaryIO]:
    """Yield a new file beside `target` that takes its place at the end; after an error nothing is left of it.

    Raises:
        ValidationFailed: the file cannot be written there.
    """
    _refuse_folder(target)
    try:
        with atomic_file.written_aside(target) as raw:
            yield raw
    except OSError as error:
        raise ValidationFailed(f"{target} cannot be written: {error.strerror or error}.") from error


def refuse_unwritable(target: Path) -> None:
    """Say before long work that its result could not be written there.

    Raises:
        ValidationFailed: as `written_aside`.
    """
    _refuse_folder(target)
    try:
        with NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}."):
            pass
    except OSError as error:
        raise ValidationFailed(f"{target} cannot be written: {error.strerror or error}.") from error


def _refuse_folder(target: Path) -> None:
    if target.is_dir():
        raise ValidationFailed(f"{target} is a folder; give the name of a file.")
