"""Backing up the bank, and replacing it with a backup.

A backup contains the database (without sessions) and the stored files: models and uploads, without candidates that
failed their comparison. It does not contain the secret key, so that the file cannot be used to forge logins; a
bank restored elsewhere gets that installation's key. Reasons: docs/decisions/0017-backup-and-restore.md.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Container, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.core.management import call_command
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from analytics.artifacts import DERIVED, MANIFEST_NAME
from questionbank.core.errors import Conflict, KindredError, ValidationFailed
from questionbank.core.migrations import (
    applied_migrations,
    bank_release_note,
    known_migrations,
    later_migrations,
    release,
)
from questionbank.core.storage import (
    KnownBackup,
    backup_remember,
    require_space,
    scratch_folder,
    scratch_sweep,
    uploads_delete,
)
from questionbank.core.wording import counted
from questionbank.models import KnowledgeConcept, ModelArtifact, Question, QuestionEmbedding, QuestionTag, Run, User
from questionbank.operations import backup_database as database
from questionbank.operations.backup_archive import (
    DUMP,
    FOLDERS,
    ArchiveWriter,
    BackupManifest,
    archive_manifest,
    archive_unpack,
    archive_write,
)
from questionbank.protection.erasure_services import people_erase_again
from questionbank.registry.artifact_services import artifact_delete
from questionbank.registry.model_selectors import models_bytes, rejected_candidates

Report = Callable[[str], Any]

COUNTED = (Question, QuestionTag, KnowledgeConcept, QuestionEmbedding, ModelArtifact, Run, User)


def backup_create(*, path: Path, report: Report | None = None) -> BackupManifest:
    """Write the whole bank to one file, which appears only when it is complete.

    Raises:
        Conflict: the file exists.
        NotFound: the folder does not exist.
        KindredError: the database cannot be dumped, or the file cannot be written.
    """
    report = report or (lambda _line: None)
    about: dict[str, Any] = {"kindred": release(), "created": timezone.now().isoformat()}
    try:
        with archive_write(path=path, about=about) as archive:
            rejected = rejected_candidates()
            about["left_out"] = {artifact.location: artifact.name for artifact in rejected}
            _require_space(path.parent, without=about["left_out"])
            with scratch_folder(parent=path.parent, prefix=f".{path.name}.") as scratch:
                dump = scratch / DUMP
                report("Dumping the database ...")
                with database.snapshot() as snapshot_name:
                    # before the dump, since a job deletes its upload when it ends: restored, it is to run again
                    _add_files(archive, _kept((), ["uploads"]))
                    about["postgres"] = database.server_version()
                    about["migrations"] = applied_migrations()
                    about["rows"] = database.row_counts(tables=[model._meta.db_table for model in COUNTED])
                    locations = dict(ModelArtifact.objects.values_list("location", "name"))
                    locations = {key: locations[key] for key in locations.keys() - about["left_out"].keys()}
                    database.database_dump(path=dump, snapshot_name=snapshot_name)
                with dump.open("rb") as stream:
                    archive.add(name=DUMP, stream=stream, size=dump.stat().st_size)
            report("Copying models and uploads ...")
            if rejected:
                size = filesizeformat(models_bytes(rejected))
                report(f"Left out: {len(rejected)} candidates that did not pass their comparison ({size}).")
            _add_files(archive, _kept(about["left_out"]))
            _report_missing(archive, locations, report)
    except OSError as error:
        raise KindredError(f"The backup cannot be written: {error.strerror or error}.") from error
    _remember(str(path.absolute()), about["created"], path.stat().st_size)
    return archive_manifest(path=path)


def backup_store(*, report: Report | None = None) -> tuple[str, BackupManifest]:
    """Write the whole bank to the object store at `STORAGE_URL`, and return its name, which includes the time.

    Raises:
        ValidationFailed: there is no object store.
        KindredError: as for `backup_create`, or the stored file differs.
    """
    if "backups" not in settings.STORAGES:
        raise ValidationFailed("Name the file to write: there is no STORAGE_URL to keep backups at.")
    name = f"kindred-{timezone.now():%Y-%m-%d-%H%M%S}.tar"
    with scratch_folder(prefix="backup-") as folder:
        path = folder / name
        manifest = backup_create(path=path, report=report)
        with path.open("rb") as stream:
            stored = storages["backups"].save(name, File(stream))
            stream.seek(0)
            if _sha256(storages["backups"], stored) != hashlib.file_digest(stream, "sha256").hexdigest():
                raise KindredError(f"The backup {stored} arrived damaged in the object store: make another one.")
        _remember(stored, manifest.created, path.stat().st_size)
    return stored, manifest


@contextmanager
def backup_local(file: Path) -> Iterator[Path]:
    """Yield a backup's local path: the file with this name, or else a copy from the object store."""
    if file.exists() or "backups" not in settings.STORAGES or not storages["backups"].exists(str(file)):
        yield file
        return
    with scratch_folder(prefix="backup-") as folder, storages["backups"].open(str(file)) as stored:
        path = folder / file.name
        with path.open("wb") as local:
            shutil.copyfileobj(stored, local)
        yield path


def backup_verify(*, path: Path) -> BackupManifest:
    """Check that a backup is complete, undamaged and can be restored by this version.

    Raises:
        NotFound, ValidationFailed: it cannot be restored.
    """
    with scratch_folder(prefix="verify-") as scratch:
        return _checked(path, scratch)[0]


def backup_restore(*, path: Path, force: bool = False, report: Report | None = None) -> BackupManifest:
    """Replace the bank with a backup; a failure at any earlier point changes nothing.

    Raises:
        Conflict: the bank is not empty or in use, and `force` is false; or another restore is running.
        NotFound, ValidationFailed: the file is missing, not a backup, damaged, or from a later version.
        KindredError: the server cannot restore it.
    """
    report = report or (lambda _line: None)
    if not force:
        _refuse_if_used()
    with scratch_folder(prefix="restore-") as scratch:
        report("Checking the backup ...")
        manifest, members = _checked(path, scratch)
        with database.fresh_database() as fresh:
            report("Restoring the database ...")
            database.database_restore(path=members[DUMP], database=fresh)
            with database.connected_to(fresh):
                _check_rows(manifest)
                if applied_migrations() != known_migrations():
                    report(f"Upgrading it from Kindred {manifest.kindred} to {release()} ...")
                    call_command("migrate", verbosity=0, interactive=False)
                bank_release_note()  # a dump has no comments
                _forget_left_out(manifest)
                again = people_erase_again()
            files = _StoredFiles(members, manifest.files)
            try:
                files.put_new()
                database.database_swap(fresh=fresh)
            except BaseException:
                files.take_back()
                raise
            files.complete()
        uploads_delete(again.uploads)
        if again.people:
            report(f"Deleted again: {counted(again.people, 'person', 'people')} who had been deleted after the backup.")
        database.former_database_drop()
    return manifest


def leftovers_clear() -> list[str]:
    """Remove what interrupted backups, restores, imports and training runs left, and return what was removed."""
    return [str(path) for path in scratch_sweep()] + database.leftover_databases_drop()


def bank_is_empty() -> bool:
    """Return whether the bank contains no data; a bank without tables is empty too."""
    tables = [model._meta.db_table for model in (Question, KnowledgeConcept, Run, User)]
    return not any(database.row_counts(tables=tables).values())


def _refuse_if_used() -> None:
    if not bank_is_empty():
        raise Conflict("This bank is not empty; --force replaces it and everything in it.")
    others = database.database_users()
    if others:
        raise Conflict(
            f"The bank is in use ({others} connections): stop the site and its workers first, or use --force."
        )


def _checked(path: Path, scratch: Path) -> tuple[BackupManifest, dict[str, Path]]:
    manifest = archive_manifest(path=path)
    if later := later_migrations(manifest.migrations):
        raise ValidationFailed(
            f"{path.name} was written by Kindred {manifest.kindred}, which has the migration {later[-1]} that this one,"
            f" {release()}, lacks: install {manifest.kindred} or a later release first."
        )
    require_space(scratch, path.stat().st_size, what="Unpacking the backup")
    return archive_unpack(path=path, folder=scratch)


def _require_space(folder: Path, *, without: Container[str]) -> None:
    """Check that there is space for the files and a dump, which is smaller than the database with its indexes."""
    files = sum(storages[FOLDERS[kind]].size(name) for kind, name in _kept(without))
    require_space(folder, database.database_bytes() + files, what="The backup")


def _check_rows(manifest: BackupManifest) -> None:
    counts = database.row_counts(tables=list(manifest.rows))
    for table, expected in manifest.rows.items():
        if counts.get(table) != expected:
            raise KindredError(
                f"The restored table {table} has {counts.get(table, 0):,} rows and not {expected:,}: the bank"
                " was left as it was."
            )


def _stored(storage: Storage, folder: str = "") -> Iterator[str]:
    """Yield the names of all files in a storage."""
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:
        return
    prefix = f"{folder}/" if folder else ""
    yield from (prefix + name for name in sorted(files))
    for name in sorted(folders):
        yield from _stored(storage, prefix + name)


def _kept(without: Container[str], folders: Iterable[str] = FOLDERS) -> Iterator[tuple[str, str]]:
    """Yield folder and name of all files, except those of the models at the locations `without`.

    Files that a machine derived from a model are left out too.
    """
    for folder in folders:
        for name in _stored(storages[FOLDERS[folder]]):
            is_left_out = folder == "artifacts" and (
                any(str(above) in without for above in Path(name).parents)
                or any(part.startswith(DERIVED) for part in Path(name).parts)
            )
            if not is_left_out:
                yield folder, name


def _add_files(archive: ArchiveWriter, files: Iterable[tuple[str, str]]) -> None:
    for folder, name in files:
        member, storage = f"{folder}/{name}", storages[FOLDERS[folder]]
        if member not in archive.files:
            with suppress(FileNotFoundError), storage.open(name) as stream:  # skip files deleted in the meantime
                archive.add(name=member, stream=stream, size=stream.size)


def _forget_left_out(manifest: BackupManifest) -> None:
    """Delete restored models whose files are neither in the backup nor here; this is recorded in the history."""
    for artifact in ModelArtifact.objects.filter(location__in=manifest.left_out):
        if not storages["artifacts"].exists(f"{artifact.location}/{MANIFEST_NAME}"):
            with suppress(Conflict):  # an unfinished job needs it, and will report that it is missing
                artifact_delete(artifact=artifact, reason="The backup that was restored left it out.")


def _report_missing(archive: ArchiveWriter, locations: dict[str, str], report: Report) -> None:
    for location, name in locations.items():
        if f"artifacts/{location}/manifest.json" not in archive.files:
            report(f"Warning: the files of the model {name!r} are missing, and not in the backup.")


def _remember(where: str, created: str, size: int) -> None:
    backup_remember(KnownBackup(where, datetime.fromisoformat(created), size))


@dataclass
class _StoredFiles:
    """Copies a backup's files into the storages: new ones before the swap, changed or deleted ones after it.

    Files that only the old bank used are kept: another installation may share the storage.
    """

    members: dict[str, Path]
    checksums: dict[str, str]
    added: list[tuple[Storage, str]] = field(default_factory=list)
    unchanged: list[tuple[Storage, str, Path]] = field(default_factory=list)
    changed: list[tuple[Storage, str, Path]] = field(default_factory=list)

    def put_new(self) -> None:
        for member, unpacked in self.members.items():
            if member == DUMP:
                continue
            folder, _, name = member.partition("/")
            storage = storages[FOLDERS[folder]]
            if not storage.exists(name):
                self._save(storage, name, unpacked)
                self.added.append((storage, name))
            else:
                is_same = _sha256(storage, name) == self.checksums[member]
                (self.unchanged if is_same else self.changed).append((storage, name, unpacked))

    def take_back(self) -> None:
        for storage, name in self.added:
            storage.delete(name)

    def complete(self) -> None:
        """Replace changed files, and put back those that a job of the old bank deleted before the swap."""
        for storage, name, unpacked in self.changed:
            storage.delete(name)
            self._save(storage, name, unpacked)
        for storage, name, unpacked in self.unchanged:
            if not storage.exists(name):
                self._save(storage, name, unpacked)

    @staticmethod
    def _save(storage: Storage, name: str, unpacked: Path) -> None:
        with unpacked.open("rb") as stream:
            stored_name = storage.save(name, File(stream))
        if stored_name != name:
            storage.delete(stored_name)
            raise KindredError(f"The file {name} cannot be restored under its name.")


def _sha256(storage: Storage, name: str) -> str:
    sha256 = hashlib.sha256()
    with storage.open(name) as stream:
        for chunk in stream.chunks():
            sha256.update(chunk)
    return sha256.hexdigest()
