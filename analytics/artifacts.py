"""Model artifacts: a trained model is a folder with `manifest.json` and its weight files.

The folder is written under a temporary name, flushed to disk and then renamed, so that a reader never sees a
partial model. The manifest records a SHA-256 for every file, which is checked on reading. Torch-free.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from analytics.errors import ArtifactError, ChecksumError

FORMAT_VERSION = 1
MANIFEST_NAME = "manifest.json"

DERIVED = "."
"""Prefix of folders that hold data derived from a model on this machine; not part of the model."""

_not_copied = shutil.ignore_patterns(MANIFEST_NAME, f"{DERIVED}*")


def data_sha256(rows: Iterable[Iterable[str]]) -> str:
    """Return the SHA-256 over the texts of training data, row by row in order."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update("\0".join((*row, "")).encode())
    return digest.hexdigest()


@dataclass(frozen=True)
class Manifest:
    """Description of a model folder.

    Attributes:
        capability: the capability's word, e.g. ``"probes"``.
        name: display name of the model.
        config: the capability's configuration as plain values.
        metrics: metrics measured during training.
        seed: the seed of its training.
        data_hash: SHA-256 over the training data; empty if there was none.
        license_note: terms under which the data and the weights may be used.
        parent: checksum or name of the model that it was derived from.
        created: ISO 8601 time in UTC; filled in when the folder is written.
        files: SHA-256 of every file, keyed by its path in the folder; filled in when the folder is written.
        extra: whatever else this capability needs to load the model.
    """

    capability: str
    name: str
    config: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    data_hash: str = ""
    license_note: str = ""
    parent: str = ""
    created: str = ""
    files: dict[str, str] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)


def artifact_write(folder: Path, manifest: Manifest, write_files: Callable[[Path], None]) -> Manifest:
    """Write a model folder atomically and return its completed manifest.

    Args:
        folder: the new model's folder; an existing model in it is replaced.
        manifest: its description; `files` and an empty `created` are filled in.
        write_files: called with an empty folder, into which it writes the model's files.

    Raises:
        ArtifactError: the folder cannot be written, or nothing was written into it.
    """
    folder = Path(folder)
    empty = folder.is_dir() and not any(folder.iterdir())
    if folder.exists() and not empty and not (folder / MANIFEST_NAME).is_file():
        raise ArtifactError(f"{folder} exists and is not a model folder; choose another folder.")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _aside(folder) as aside:
            write_files(aside)
            names = sorted(path.relative_to(aside).as_posix() for path in aside.rglob("*") if path.is_file())
            if not names:
                raise ArtifactError(f"No files were written for the model {manifest.name!r}.")
            complete = replace(
                manifest,
                created=manifest.created or datetime.now(UTC).isoformat(timespec="seconds"),
                files={name: file_sha256(aside / name) for name in names},
            )
            body = {"format_version": FORMAT_VERSION} | {
                attribute.name: getattr(complete, attribute.name) for attribute in fields(Manifest)
            }
            (aside / MANIFEST_NAME).write_text(
                json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8"
            )
            _flush(aside)
            _rename_over(aside, folder)
    except OSError as error:
        raise ArtifactError(f"The model folder {folder} cannot be written: {error.strerror or error}.") from error
    return complete


def artifact_amend(
    folder: Path, manifest: Manifest, write_more: Callable[[Path], None], *, output: Path | None = None
) -> Manifest:
    """Rewrite a model folder with some files replaced or added; return its completed manifest.

    Args:
        folder: the model to amend.
        manifest: its new manifest; `files` is filled in.
        write_more: called with a copy of the folder, into which it writes the changed files.
        output: folder for the result; by default it replaces the model.

    Raises:
        ArtifactError: the folder cannot be read or written.
    """

    def write_files(aside: Path) -> None:
        shutil.copytree(folder, aside, ignore=_not_copied, dirs_exist_ok=True)
        write_more(aside)

    return artifact_write(output or folder, replace(manifest, files={}), write_files)


def artifact_copy(source: Path, folder: Path) -> Manifest:
    """Copy an artifact into another folder atomically.

    Raises:
        ArtifactError: the source is not a complete artifact, or the folder cannot be written.
    """

    def copy(aside: Path) -> None:
        shutil.copytree(source, aside, ignore=_not_copied, dirs_exist_ok=True)

    return artifact_write(folder, artifact_read(source), copy)


def artifact_read(folder: Path, *, verify: bool = True) -> Manifest:
    """Read the manifest of a model folder and verify its files.

    Args:
        folder: the model folder.
        verify: compare every file's SHA-256; if false, only check that the files exist.

    Raises:
        ArtifactError: the folder or a file is missing, or it is of another format version.
        ChecksumError: a file differs from its recorded SHA-256.
    """
    folder = Path(folder)
    path = folder / MANIFEST_NAME
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ArtifactError(f"{folder} is not a model folder: it has no {MANIFEST_NAME}.") from None
    except (OSError, ValueError) as error:
        raise ArtifactError(f"{path} cannot be read: {error}.") from None
    except RecursionError:
        raise ArtifactError(f"{path} cannot be read: it is nested too deeply.") from None
    if not isinstance(body, dict):
        raise ArtifactError(f"{path} is not a manifest.")
    version = body.pop("format_version", None)
    if version != FORMAT_VERSION:
        raise ArtifactError(f"{path} has format version {version}; this program reads version {FORMAT_VERSION}.")
    field_names = {attribute.name for attribute in fields(Manifest)}
    missing = sorted({"capability", "name", "files"} - body.keys())
    if missing:
        raise ArtifactError(f"{path} lacks {', '.join(missing)}.")
    if not isinstance(body["files"], dict):
        raise ArtifactError(f"{path} is not a manifest.")
    manifest = Manifest(**{name: value for name, value in body.items() if name in field_names})
    for name, recorded in manifest.files.items():
        _check_file(folder, name, recorded if verify else None)
    return manifest


def artifact_checksum(folder: Path) -> str:
    """Return a SHA-256 over the names and checksums of the model's files, which identifies the model.

    It is computed from the manifest; `artifact_read` compares the files with the manifest.
    """
    manifest = artifact_read(folder, verify=False)
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(manifest.files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check_file(folder: Path, name: str, recorded: str | None) -> None:
    relative = PurePosixPath(name)
    # A manifest may come from another machine: its paths must not leave the folder.
    if relative.is_absolute() or ".." in relative.parts:
        raise ArtifactError(f"The manifest of {folder} names a file outside the folder: {name!r}.")
    path = folder / relative
    if not path.is_file():
        raise ArtifactError(f"The model folder {folder} is incomplete: {name} is missing.")
    if recorded is not None and file_sha256(path) != recorded:
        raise ChecksumError(f"{path} differs from its recorded SHA-256; the model folder is damaged.")


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """Yield a new hidden folder next to `folder` (same file system, so that renaming is atomic)."""
    aside = folder.parent / f".{folder.name}.{uuid.uuid4().hex[:8]}.partial"
    aside.mkdir()
    try:
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _flush(folder: Path) -> None:
    for path in [*folder.rglob("*"), folder]:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _rename_over(aside: Path, folder: Path) -> None:
    if not folder.exists():
        aside.rename(folder)
        return
    # A non-empty folder cannot be renamed over: move the old one aside first, and restore it on failure.
    old = folder.parent / f".{folder.name}.{uuid.uuid4().hex[:8]}.old"
    folder.rename(old)
    try:
        aside.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)
