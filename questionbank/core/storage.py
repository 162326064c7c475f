"""Files: uploads, scratch folders, files written as a whole or not at all, free disk space, the record of backups."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path, PurePath
from tempfile import NamedTemporaryFile
from typing import BinaryIO

from django.conf import settings
from django.core.files.storage import storages
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from analytics import atomic_file
from questionbank.core.errors import ServiceUnavailable, ValidationFailed
from questionbank.core.file_lock import FileLock

BACKUP_RECORD = "last-backup.json"  # in VAR_DIR
MOST_BACKUPS = 5_000  # that are remembered
_NOTE = ".lock"
_UNFINISHED = ".new"


@contextmanager
def scratch_owned(path: Path) -> Iterator[Path]:
    """Own a path that is about to be created; it is removed at the end, or by the next sweep if we are killed."""
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
    """Create a private folder (mode 0700), by default in `VAR_DIR/scratch`."""
    parent = parent or _notes_folder()
    parent.mkdir(parents=True, exist_ok=True)
    with scratch_owned(parent / f"{prefix}{uuid.uuid4().hex[:12]}") as folder:
        folder.mkdir(mode=0o700)
        yield folder


def scratch_sweep() -> list[Path]:
    """Remove what killed processes left behind, and return the removed paths."""
    removed = []
    for path in sorted(_notes_folder().glob("*")):
        if path.suffix not in (_NOTE, _UNFINISHED):
            continue
        note = FileLock(path)
        try:
            if not note.acquire():
                continue  # its owner is alive
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
    """Write and lock a note, or return None on failure: a full disk must not prevent a backup."""
    folder = _notes_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # It gets its final name only when it is locked and written. If a sweep takes the unfinished note of a living
        # process just before it is locked, the process loses the note: the rename fails.
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
    """Yield a temporary file beside `target` that replaces it at the end; after an error it is removed.

    Raises:
        ValidationFailed: the file cannot be written.
    """
    _refuse_folder(target)
    try:
        with atomic_file.written_aside(target) as raw:
            yield raw
    except OSError as error:
        raise ValidationFailed(f"{target} cannot be written: {error.strerror or error}.") from error


def refuse_unwritable(target: Path) -> None:
    """Check before long work that its result can be written.

    Raises:
        ValidationFailed: as for `written_aside`.
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


# --- disk space -----------------------------------------------------------------------------------

RESERVE = 200_000_000  # bytes that stay free for PostgreSQL, Redis and the logs


def free_bytes(folder: Path) -> int:
    """Return the number of free bytes on the disk of a folder that exists or would be created."""
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    return shutil.disk_usage(existing).free


def has_space(folder: Path, needed: int) -> bool:
    """Return whether `needed` bytes can be written without using the reserve."""
    return free_bytes(folder) >= needed + RESERVE


def require_space(folder: Path, needed: int, *, what: str, remedy: str = "") -> None:
    """Check that there is disk space before work that writes about `needed` bytes.

    Args:
        what: the work, as the start of a sentence: "The import".
        remedy: advice for people who cannot free disk space themselves.

    Raises:
        ServiceUnavailable: there is not enough space; the message states how much is needed and how much is free.
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


@dataclass(frozen=True, slots=True)
class KnownBackup:
    """A backup that was made with this `VAR_DIR`.

    Attributes:
        path: where it was written, or its name in the object store.
    """

    path: str
    created: datetime
    bytes: int

    @property
    def is_there(self) -> bool:
        """Whether it still is where it was written; it may have been moved."""
        if Path(self.path).is_absolute():
            return Path(self.path).exists()
        return "backups" in settings.STORAGES and storages["backups"].exists(self.path)


def known_backups() -> list[KnownBackup]:
    """Return the backups made so far, newest first; an unreadable record counts as none."""
    try:
        record = json.loads((settings.VAR_DIR / BACKUP_RECORD).read_text())
        return [
            KnownBackup(str(each["path"]), datetime.fromisoformat(each["created"]), int(each["bytes"]))
            for each in (record, *record.get("earlier", []))
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def last_backup() -> KnownBackup | None:
    """Return the last backup; None if there is no readable record."""
    return next(iter(known_backups()), None)


def backup_remember(backup: KnownBackup) -> None:
    """Record a backup as the last one; the earlier ones stay known, because they may contain people deleted since."""
    record, *earlier = (
        {"path": each.path, "created": each.created.isoformat(), "bytes": each.bytes}
        for each in (backup, *known_backups()[:MOST_BACKUPS])
    )
    with atomic_file.written_aside(settings.VAR_DIR / BACKUP_RECORD, mode=0o600) as file:
        file.write(json.dumps({**record, "earlier": earlier}).encode())


# --- uploads, which wait for their owner to continue ----------------------------------------------

UPLOADS_KEPT = timedelta(days=7)


def upload_name(name: str) -> str:
    """Return the last path component of an uploaded file's name, without control characters.

    >>> upload_name("papers/Grade 7.docx")
    'Grade 7.docx'
    """
    return "".join(sign for sign in PurePath(name.replace("\\", "/")).name if sign.isprintable())


def upload_names() -> list[str]:
    """Return the names of all uploads that are stored."""
    try:
        return list(storages["uploads"].listdir("")[1])
    except FileNotFoundError:  # nothing has been uploaded yet
        return []


def uploads_older(than: datetime) -> list[str]:
    """Return the names of the uploads that were stored before a time."""
    storage = storages["uploads"]
    old = []
    for name in upload_names():
        with suppress(FileNotFoundError):  # another process was faster
            if storage.get_modified_time(name) < than:
                old.append(name)
    return old


def uploads_forget_old() -> None:
    """Delete uploads that have waited longer than `UPLOADS_KEPT`."""
    uploads_delete(uploads_older(timezone.now() - UPLOADS_KEPT))


def uploads_delete(names: Iterable[str]) -> None:
    """Delete uploaded files; missing ones are ignored."""
    for name in names:
        with suppress(FileNotFoundError):
            storages["uploads"].delete(name)
