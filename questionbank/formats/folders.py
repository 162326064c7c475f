"""Untrusted packed files (ZIP, tar, tar.gz) or single files: read member by member, never unpacked."""

from __future__ import annotations

import gzip
import tarfile
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import IO

from analytics.json_lines import UNPACKED_LIMIT
from questionbank.core.errors import ImportRefused
from questionbank.formats.archives import (
    MEMBER_LIMIT,
    MEMBERS_LIMIT,
    RATIO_FROM,
    RATIO_LIMIT,
    is_archive,
    member_bytes,
    member_fault,
    opened_archive,
)
from questionbank.formats.encodings import guess_encoding, looks_like_utf16
from questionbank.formats.lines import first_bytes

TEXT_LIMIT = 8 * 1024 * 1024  # bytes; larger files are not read as text
_TAR = b"ustar"
_TAR_AT = 257
_PIECE = 1 << 20
_BEGINNINGS_LOOKED_AT = 2_000  # members of an archive
_BEGINNING = 16_384  # characters
_NO_TEXTS = (
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".svg", ".mp4", ".mp3", ".ttf", ".woff", ".js", ".css", ".xml",
    ".rels", ".json", ".zip", ".gz", ".sty", ".cls",
)  # fmt: skip


class Folder:
    """Files by path, in archive order.

    Attributes:
        names: their paths, without the extra files that operating systems add.
    """

    def __init__(self, names: list[str], read: Callable[[str], bytes]) -> None:
        self.names = [
            name
            for name in names
            if not name.endswith("/") and not name.startswith("__MACOSX/") and "/._" not in f"/{name}"
        ]
        self._read = read
        self._known = {*self.names}
        self._by_ending = {name.rpartition("/")[2]: name for name in self.names}

    def read(self, name: str) -> bytes:
        return self._read(name)

    def text(self, name: str) -> str:
        """Return a file as text, in whatever encoding.

        Raises:
            ValueError: the file is too long; the message gives its size.
        """
        data = self._read(name)
        if len(data) > TEXT_LIMIT:
            raise ValueError(f"has {len(data) // 1024**2:,} MB, more than {TEXT_LIMIT // 1024**2}")
        return text_of(data)

    def near(self, place: str, wanted: str) -> bytes | None:
        """Return the file that another file refers to: beside it, below it, or anywhere by base name; else None."""
        wanted = wanted.strip().replace("\\", "/")
        beside = normpath(join(dirname(place), wanted))
        name = beside if beside in self._known else self._by_ending.get(wanted.rpartition("/")[2])
        return self._read(name) if name else None


def text_of(data: bytes) -> str:
    """Decode bytes of any encoding, with normalised line endings and without NUL characters."""
    codec = looks_like_utf16(data) or guess_encoding(data)
    text = data.decode("utf-8-sig" if codec == "utf-8" else codec, "replace")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")


def is_packed_folder(path: Path) -> bool:
    """Return whether a file is a ZIP or tar archive, compressed or not."""
    return is_archive(path) or _is_tar(path)


def _is_tar(path: Path) -> bool:
    try:
        return first_bytes(path, _TAR_AT + len(_TAR))[_TAR_AT:] == _TAR
    except ImportRefused:
        return False


@contextmanager
def opened_folder(path: Path, *, is_beginning: bool = False) -> Iterator[Folder]:
    """Yield the files of an archive, or the file itself as the only member.

    Args:
        is_beginning: whether the file may be only the beginning of an archive, to be inspected.

    Raises:
        ImportRefused: the archive is damaged or contains something forbidden; the message gives the reason.
    """
    if is_archive(path):
        with opened_archive(path) as archive:
            yield Folder(archive.namelist(), lambda name: member_bytes(archive, name, path) or b"")
    elif _is_tar(path):
        with tempfile.TemporaryFile() as unpacked:
            if not _unpack(path, unpacked) and not is_beginning:
                raise ImportRefused(f"{path.name} is damaged: it cannot be unpacked. Download or save it again.")
            yield _tar_folder(path, unpacked, is_beginning=is_beginning)
    else:
        yield Folder([path.name], lambda _name: _whole(path))


def _whole(path: Path) -> bytes:
    data = first_bytes(path, MEMBER_LIMIT + 1)
    if len(data) > MEMBER_LIMIT:
        raise ImportRefused(f"{path.name} cannot be read: it is larger than {MEMBER_LIMIT // 1024**2} MB.")
    return data


def _unpack(path: Path, into: IO[bytes]) -> bool:
    """Write out the uncompressed tar archive; return whether it was complete."""
    packed, size = path.stat().st_size, 0
    with path.open("rb") as raw:
        is_gzip = raw.read(2) == b"\x1f\x8b"
    with gzip.open(path) if is_gzip else path.open("rb") as stream:
        try:
            while piece := stream.read(_PIECE):
                size += len(piece)
                if size > UNPACKED_LIMIT or (size > RATIO_FROM and size > RATIO_LIMIT * packed):
                    raise ImportRefused(f"{path.name} cannot be read: it unpacks to more than {size // 1024**2:,} MB.")
                into.write(piece)
        except (EOFError, OSError, zlib.error):
            return False
    return True


def _tar_folder(path: Path, unpacked: IO[bytes], *, is_beginning: bool) -> Folder:
    unpacked.seek(0)
    members: dict[str, tarfile.TarInfo] = {}
    names: set[str] = set()
    try:
        archive = tarfile.open(fileobj=unpacked, mode="r:")  # noqa: SIM115 - lives as long as its file
        for member in archive:
            if fault := _fault(member, names):
                raise ImportRefused(f"{path.name} cannot be read: {fault}.")
            if member.isfile():
                members[member.name.removeprefix("./")] = member
    except (tarfile.TarError, EOFError, OSError, ValueError) as error:
        if not is_beginning or not members:
            raise ImportRefused(f"{path.name} is damaged: it cannot be unpacked.") from error

    def read(name: str) -> bytes:
        if members[name].size > MEMBER_LIMIT:
            raise ImportRefused(
                f"{path.name} cannot be read: {name[:60]!r} in it is larger than {MEMBER_LIMIT >> 20} MB."
            )
        file = archive.extractfile(members[name])
        assert file is not None  # noqa: S101 - it is a file
        return file.read()

    return Folder([*members], read)


def _fault(member: tarfile.TarInfo, names: set[str]) -> str:
    if len(names) >= MEMBERS_LIMIT:
        return f"it holds more than {MEMBERS_LIMIT:,} files"
    if fault := member_fault(member.name, names, is_link=member.issym() or member.islnk()):
        return fault
    return "" if member.isfile() or member.isdir() else f"{member.name[:60]!r} in it is not a regular file"


def beginnings(folder: Folder) -> Iterator[tuple[str, str]]:
    """Yield the beginning and the name of each text file, up to a limit."""
    for name in folder.names[:_BEGINNINGS_LOOKED_AT]:
        if not name.lower().endswith(_NO_TEXTS):
            data = folder.read(name)[:_BEGINNING]
            if data.count(0) < len(data) // 3:
                yield text_of(data), name.lower()
