"""Folders and files that are of no use once their process has ended, however it ended.

Whoever makes one holds a lock on a note in `VAR_DIR/scratch` that names it. The kernel lets go of the lock of a process
that is killed; `scratch_sweep`, called when Kindred or a command starts, removes what notes without a holder name.
"""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from questionbank.embedded.lock import FileLock

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
