"""Scratch folders, files that are written whole or not at all, and free space on the disk."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from django.conf import settings
from django.template.defaultfilters import filesizeformat

from analytics import atomic_file
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.local.lock import FileLock

_NOTE = ".lock"
_UNFINISHED = ".new"


@contextmanager
def scratch_owned(path: Path) -> Iterator[Path]:
    """Own a path that is about to be made: removed at the end, or by the next sweep where we are killed."""
    note = _note(path.absolute())
    try:
        yield path
    finally:
        _remove(path)
        if note is not None:
            note.path.unlink(missing_ok=True)
            note.close()


@contextmanager
def scratch_folder(*, parent: Path | None = None, prefix: str = "") -> Iterator[Path]:
    """Make a folder of our own (mode 0700), by default in `VAR_DIR/scratch`."""
    parent = parent or _notes_folder()
    parent.mkdir(parents=True, exist_ok=True)
    with scratch_owned(parent / f"{prefix}{uuid.uuid4().hex[:12]}") as folder:
        folder.mkdir(mode=0o700)
        yield folder


def scratch_sweep() -> list[Path]:
    """Remove what processes that were killed left; returns what was removed."""
    removed = []
    for path in sorted(_notes_folder().glob("*")):
        if path.suffix not in (_NOTE, _UNFINISHED):
            continue
        note = FileLock(path)
        try:
            if not note.acquire():
                continue  # its owner lives
            with suppress(ValueError, KeyError, TypeError):
                named = Path(json.loads(note.read())["path"])
                if _remove(named):
                    removed.append(named)
            path.unlink(missing_ok=True)
        finally:
            note.close()
    return removed


def _notes_folder() -> Path:
    return Path(settings.VAR_DIR) / "scratch"


def _note(path: Path) -> FileLock | None:
    """Write and lock a note. None where that cannot be done: a full disk must not keep a backup from being made."""
    folder = _notes_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # It gets its name only when it is locked and says something. A sweep that takes the unfinished note of a living
        # process, in the instant before that locks it, costs it the note: the rename fails.
        aside = folder / f"{uuid.uuid4().hex}{_UNFINISHED}"
        note = FileLock(aside)
        note.acquire()
        note.write(json.dumps({"path": str(path), "pid": os.getpid()}))
        note.path = aside.with_suffix(_NOTE)
        aside.rename(note.path)
    except OSError:
        return None
    return note


def _remove(path: Path) -> bool:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return True
    with suppress(OSError):
        path.unlink()
        return True
    return False


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


RESERVE = 200_000_000  # bytes that stay free: PostgreSQL, Redis and the logs need some


def free_bytes(folder: Path) -> int:
    """Return the bytes free where a folder is, or would be made."""
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(existing).free


def has_space(folder: Path, needed: int) -> bool:
    """Tell whether `needed` bytes can be written and the reserve stays."""
    return free_bytes(folder) >= needed + RESERVE


def require_space(folder: Path, needed: int, *, what: str, remedy: str = "") -> None:
    """Check before work that writes about `needed` bytes.

    Args:
        what: the work, as the sentence begins: "The import".
        remedy: what to do, for people who cannot free the disk themselves.

    Raises:
        ServiceUnavailable: there is not enough space; the sentence says how much there is and is needed.
    """
    if not has_space(folder, needed):
        sentence = "%(what)s needs about %(needed)s of free disk space in %(folder)s; %(free)s are free."
        raise ServiceUnavailable(
            f"{sentence} {remedy}".strip()
            % {
                "what": what,
                "needed": filesizeformat(needed + RESERVE),
                "folder": folder,
                "free": filesizeformat(free_bytes(folder)),
            }
        )
