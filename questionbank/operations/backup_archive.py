"""The backup file: one tar of the database dump and all stored files.

    database.dump          pg_dump's output (custom format)
    artifacts/... attachments/... uploads/... files/...    the storages (`FOLDERS`)
    manifest.json          last: version, migrations, and the SHA-256 of everything above

The manifest comes last because only then are all checksums known; a truncated file therefore has no manifest
and is refused. Names in the archive are never used as paths when reading: members are unpacked under numbers.
"""

from __future__ import annotations

import hashlib
import os
import tarfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Annotated, Any

from pydantic import BaseModel, StringConstraints, ValidationError

from questionbank.core.errors import Conflict, NotFound, ValidationFailed
from questionbank.core.storage import scratch_owned

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
DUMP = "database.dump"
FOLDERS = {  # folder -> storage alias
    "artifacts": "artifacts",
    "attachments": "attachments",
    "uploads": "uploads",
    "files": "default",
}
MANIFEST_LIMIT = 64 * 1024 * 1024
CHUNK = 1024 * 1024
NOT_A_BACKUP = "is not a backup of Kindred, or it was cut off or damaged"


class _Format(BaseModel, frozen=True, strict=True):
    format: int


class BackupManifest(_Format, frozen=True):
    """A backup's description of itself."""

    kindred: str  # version that wrote it
    created: str  # ISO 8601
    postgres: str  # version of the server it was taken from
    migrations: dict[str, list[str]]  # app label -> applied migrations
    rows: dict[str, int]  # table -> rows, as of the dump's snapshot
    files: dict[str, Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]]  # member -> SHA-256
    left_out: dict[str, str] = {}  # location -> name of models without files; empty in earlier backups


class ArchiveWriter:
    """Adds members to a backup being written."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.files: dict[str, str] = {}

    def add(self, *, name: str, stream: IO[bytes], size: int) -> None:
        """Copy `size` bytes of `stream` into the archive.

        Raises:
            Conflict: the stream ended early, because the file changed while it was copied.
        """
        reader = _HashingReader(stream)
        try:
            self._tar.addfile(_member(name, size), reader)
        except OSError as error:
            if "unexpected end of data" not in str(error):
                raise
            raise Conflict(f"{name} changed while it was copied: please try again.") from error
        self.files[name] = reader.sha256.hexdigest()


class _HashingReader:
    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.sha256 = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        chunk = self._stream.read(size)
        self.sha256.update(chunk)
        return chunk


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o600
    return member


@contextmanager
def archive_write(*, path: Path, about: dict[str, Any]) -> Iterator[ArchiveWriter]:
    """Write a backup to a temporary file (mode 0600), and rename it when it is complete and synced to disk.

    Args:
        about: the manifest's fields except `format` and `files`; may be filled until the block ends.

    Raises:
        Conflict: the file exists; a backup never overwrites a file.
        NotFound: the folder does not exist.
    """
    if path.exists():
        raise Conflict(f"{path} exists already, and a backup never overwrites a file: choose another name.")
    if not path.parent.is_dir():
        raise NotFound(f"There is no folder {path.parent}.")
    with scratch_owned(path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")) as aside:
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as tar:
                writer = ArchiveWriter(tar)
                yield writer
                manifest = BackupManifest(format=FORMAT_VERSION, files=writer.files, **about)
                content = manifest.model_dump_json(indent=1).encode()
                tar.addfile(_member(MANIFEST, len(content)), BytesIO(content))
            file.flush()
            os.fsync(file.fileno())
        aside.rename(path)
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    with suppress(OSError):  # some file systems do not support it
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def archive_manifest(*, path: Path) -> BackupManifest:
    """Read a backup's manifest, without verifying checksums.

    Raises:
        NotFound: the file does not exist.
        ValidationFailed: it is not a backup, or has a later format.
    """
    with _opened(path) as tar:
        return _read_manifest(tar, path)


def archive_unpack(*, path: Path, folder: Path) -> tuple[BackupManifest, dict[str, Path]]:
    """Unpack a backup into numbered files in `folder`, and verify every checksum.

    Returns:
        The manifest, and the path of each member.

    Raises:
        NotFound: the file does not exist.
        ValidationFailed: it is not a backup, is damaged or incomplete, or contains an unexpected member.
    """
    unpacked: dict[str, Path] = {}
    with _opened(path) as tar:
        manifest = _read_manifest(tar, path)
        for number, member in enumerate(tar.getmembers()):
            if member.name == MANIFEST:
                continue
            target = folder / f"{number:06d}"
            if _copy_out(tar, member, target) != manifest.files.get(member.name):
                raise ValidationFailed(f"{path.name} is damaged: the checksum of {member.name} is wrong.")
            unpacked[member.name] = target
    missing = sorted(set(manifest.files) - set(unpacked))
    if missing:
        raise ValidationFailed(f"{path.name} is incomplete: {missing[0]} is missing.")
    return manifest, unpacked


def _copy_out(tar: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> str:
    source = tar.extractfile(member)
    assert source is not None, "checked to be a file"  # noqa: S101
    sha256 = hashlib.sha256()
    with source, target.open("xb") as sink:
        while chunk := source.read(CHUNK):
            sha256.update(chunk)
            sink.write(chunk)
    return sha256.hexdigest()


@contextmanager
def _opened(path: Path) -> Iterator[tarfile.TarFile]:
    try:
        with tarfile.open(path, mode="r:") as tar:
            yield tar
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}.") from None
    except (tarfile.TarError, EOFError, IsADirectoryError) as error:
        raise ValidationFailed(f"{path} {NOT_A_BACKUP}.") from error
    except OSError as error:  # we may not read it, or the disk we unpack to is full
        raise ValidationFailed(f"{path} cannot be read or unpacked: {error.strerror or error}.") from error


def _read_manifest(tar: tarfile.TarFile, path: Path) -> BackupManifest:
    members = tar.getmembers()
    names = set()
    for member in members:
        if not _is_expected(member) or member.name in names:
            raise ValidationFailed(f"{path.name} contains {member.name!r}, which no backup of Kindred contains.")
        names.add(member.name)
    if not members or members[-1].name != MANIFEST or members[-1].size > MANIFEST_LIMIT:
        raise ValidationFailed(f"{path} {NOT_A_BACKUP}.")
    source = tar.extractfile(members[-1])
    assert source is not None, "checked to be a file"  # noqa: S101
    return _parse_manifest(source.read(), path)


def _is_expected(member: tarfile.TarInfo) -> bool:
    """Return whether a member is a regular file (no link, device or sparse file) with a plain, expected path."""
    if not member.isreg() or member.issparse():
        return False
    if member.name in (MANIFEST, DUMP):
        return True
    folder, *parts = member.name.split("/")
    plain = all(part not in ("", ".", "..") and "\\" not in part and "\0" not in part for part in parts)
    return folder in FOLDERS and bool(parts) and plain


def _parse_manifest(content: bytes, path: Path) -> BackupManifest:
    try:
        if _Format.model_validate_json(content).format > FORMAT_VERSION:
            raise ValidationFailed(f"{path.name} was written by a later version of Kindred: upgrade this one first.")
        manifest = BackupManifest.model_validate_json(content)
    except ValidationError as error:
        raise ValidationFailed(f"{path} {NOT_A_BACKUP}.") from error
    if manifest.format != FORMAT_VERSION or DUMP not in manifest.files:
        raise ValidationFailed(f"{path} {NOT_A_BACKUP}.")
    return manifest
