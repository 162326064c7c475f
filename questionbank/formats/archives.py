"""Untrusted packed files (ZIP, tar, tar.gz), checked and then read member by member; never unpacked.

No file is ever written under a name taken from an archive.
"""

from __future__ import annotations

import gzip
import posixpath
import stat
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import IO
from urllib.parse import unquote

from analytics.json_lines import UNPACKED_LIMIT
from questionbank.core.errors import ImportRefused
from questionbank.formats.lines import first_bytes, guess_encoding, looks_like_utf16

MAGIC = b"PK\x03\x04"
MEMBERS_LIMIT = 50_000
MEMBER_LIMIT = 128 * 1024 * 1024  # bytes; a larger member is not read as a whole
RATIO_LIMIT, RATIO_FROM = 150, 32 * 1024 * 1024  # unpacked-to-packed ratio; members from that many bytes on
DIRECTORY_LIMIT = 32 * 1024 * 1024  # bytes of the central directory
_END_WITHIN = 65_535 + 22 + 76  # bytes: the longest comment, plus the end-of-central-directory records
_STREAMED_RATIO = 1_000  # for members that are streamed


def is_archive(path: Path) -> bool:
    """Return whether a file starts with the ZIP signature."""
    with path.open("rb") as file:
        return file.read(4) == MAGIC


@contextmanager
def opened_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Yield an archive with a bounded number of plain, unencrypted members.

    Raises:
        ImportRefused: the archive is unacceptable; the message gives the reason.
    """
    _check_directory(path)
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise ImportRefused(f"{path.name} is damaged: it cannot be unpacked. Download or save it again.") from error
    with archive:
        reason = _fault(archive)
        if reason:
            raise ImportRefused(f"{path.name} cannot be read: {reason}.")
        try:
            yield archive
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
            raise ImportRefused(f"{path.name} is damaged: a part of it cannot be unpacked.") from error


def _check_directory(path: Path) -> None:
    """Refuse an archive with too many members by its end record, before listing them (APPNOTE 4.3.14-16)."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _END_WITHIN))
        end = file.read()
    place, large = end.rfind(b"PK\5\6"), end.rfind(b"PK\6\6")
    members = size = 0
    if large >= 0 and len(end) >= large + 48:
        members, size = struct.unpack_from("<QQ", end, large + 32)
    elif place >= 0 and len(end) >= place + 16:
        members, size = struct.unpack_from("<HI", end, place + 10)
    if members > MEMBERS_LIMIT:
        raise ImportRefused(f"{path.name} cannot be read: it holds {members:,} files, more than {MEMBERS_LIMIT:,}.")
    if size > DIRECTORY_LIMIT:
        raise ImportRefused(
            f"{path.name} cannot be read: its list of files takes {size >> 20:,} MB, more than {DIRECTORY_LIMIT >> 20}."
        )


def _fault(archive: zipfile.ZipFile) -> str:
    members = archive.infolist()
    if len(members) > MEMBERS_LIMIT:
        return f"it holds {len(members):,} files, more than {MEMBERS_LIMIT:,}"
    names: set[str] = set()
    for member in members:
        name = member.filename
        if member.flag_bits & 1:
            return f"{name[:60]!r} in it is protected by a password; save it without one"
        if fault := member_fault(name, names, is_link=stat.S_ISLNK(member.external_attr >> 16)):
            return fault
        ratio = member.file_size / max(member.compress_size, 1)
        if member.file_size > RATIO_FROM and ratio > _STREAMED_RATIO:
            return f"{name[:60]!r} in it unpacks to {ratio:,.0f} times its size"
    total = sum(member.file_size for member in members)
    if total > UNPACKED_LIMIT:
        return f"it unpacks to {total // 1024**2:,} MB, more than {UNPACKED_LIMIT // 1024**2:,} MB"
    return ""


def member_fault(name: str, names: set[str], *, is_link: bool) -> str:
    """Return why an archive member is refused, judging by its name and the earlier `names`; adds the name to them."""
    shown = repr(name[:60])
    if name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/") or ":" in name[:3]:
        return f"a file in it has the name {shown}, which leads out of the archive"
    if is_link:
        return f"{shown} in it is a link"
    if name in names:
        return f"two files in it have the name {shown}"
    names.add(name)
    return ""


def member_bytes(archive: zipfile.ZipFile, name: str, path: Path) -> bytes | None:
    """Return a whole member; None if there is no member of this name.

    Raises:
        ImportRefused: the member is too large.
    """
    try:
        member = archive.getinfo(name)
    except KeyError:
        return None
    check_member(member, path)
    return archive.read(member)


def check_member(member: zipfile.ZipInfo, path: Path, *, limit: int = MEMBER_LIMIT) -> None:
    """Raise `ImportRefused` if a member exceeds the limit or unpacks to many times its packed size."""
    ratio = member.file_size / max(member.compress_size, 1)
    if member.file_size > limit or (member.file_size > RATIO_FROM and ratio > RATIO_LIMIT):
        size = member.file_size // 1024**2
        raise ImportRefused(f"{path.name} cannot be read: {member.filename[:60]!r} in it unpacks to {size:,} MB.")


class Members:
    """The members of an archive, looked up by path; letter case, %20 and backslashes do not matter.

    Args:
        folder: the folder that contains all of them.
    """

    def __init__(self, archive: zipfile.ZipFile, path: Path, folder: str = "") -> None:
        self._archive, self._path, self._folder = archive, path, folder
        self._names = {_plain(name): name for name in archive.namelist() if not name.endswith("/")}

    def name(self, path: str) -> str:
        """Return the name of the member at a path; empty if there is none or the path leads out of the archive."""
        plain = _plain(posixpath.join(self._folder, path.replace("\\", "/")))
        return self._names.get(plain) or self._names.get(_plain(unquote(plain)), "")

    def read(self, path: str) -> bytes | None:
        """Return the bytes at a path, or None. Raises `ImportRefused` as `member_bytes` does."""
        name = self.name(path)
        return member_bytes(self._archive, name, self._path) if name else None

    def beginning(self, path: str, size: int = 4_096) -> bytes:
        name = self.name(path)
        if not name:
            return b""
        with self._archive.open(name) as file:
            return file.read(size)


def _plain(path: str) -> str:
    return posixpath.normpath(path).casefold()


def file_pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file from its beginning, one megabyte at a time."""
    file.seek(0)
    while piece := file.read(1 << 20):
        yield piece


class Places:
    """Paths in an archive being written, one file per path, compared case-insensitively."""

    def __init__(self, *taken: str) -> None:
        self._digests = {path.casefold(): "" for path in taken}

    def of(self, path: str, digest: str) -> tuple[str, bool]:
        """Return a path for the file with this hash (altered if another file has it), and whether the path is new."""
        is_new = path.casefold() not in self._digests
        if self._digests.setdefault(path.casefold(), digest) == digest:
            return path, is_new
        folder, slash, name = path.rpartition("/")
        return self.of(f"{folder}{slash}{digest[:8]}-{name}", digest)


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
            if fault := _tar_fault(member, names):
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


def _tar_fault(member: tarfile.TarInfo, names: set[str]) -> str:
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
