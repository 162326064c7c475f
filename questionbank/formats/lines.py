"""Lines of a plain or gzip-compressed file with any content, in bounded memory.

UTF-16 files, which spreadsheet programs save as "Unicode text", are read as UTF-8.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from analytics.json_lines import LINE_LIMIT, UNPACKED_LIMIT
from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.encodings import guess_encoding, looks_like_utf16
from questionbank.formats.foreign import foreign_binary
from questionbank.formats.limits import BLANK_LINES_LIMIT, LINES_LIMIT

Progress = Callable[[int, int], None]
"""Called from time to time with (bytes read, size of the file in bytes)."""

_GZIP_MAGIC = b"\x1f\x8b"
_NO_TEXT = b"\xff"
_PROGRESS_EVERY = 500  # lines
_PIECE = 65_536  # bytes
_PIECES_LOOKED_AT = 512  # to detect the encoding: 32 MB


def refuse_unreadable(path: Path) -> None:
    """Refuse a `path` that cannot be read at all, with a clear message.

    Raises:
        ImportRefused: it is missing, a folder, not a plain file, empty, or not accessible.
    """
    name = path.name or str(path)
    try:
        if not path.exists():
            raise ImportRefused(f"There is no file {path}.")
        if path.is_dir():
            raise ImportRefused(f"{name} is a folder; give a file inside it.")
        if not path.is_file():
            raise ImportRefused(f"{name} is not a plain file.")
        if path.stat().st_size == 0:
            raise ImportRefused(f"{name} is empty.")
        with path.open("rb"):
            pass
    except (OSError, ValueError) as error:  # ValueError: a NUL character in the name
        raise ImportRefused(f"{name!r} cannot be read: {_os_reason(error)}.") from error


def _os_reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def first_bytes(path: Path, size: int = 65_536) -> bytes:
    """Return the beginning of the file, decompressed.

    Raises:
        ImportRefused: the file is damaged gzip or a binary format.
    """
    with path.open("rb") as raw:
        try:
            return unpacked_stream(raw, path)[0].read(size)
        except (EOFError, OSError, zlib.error) as error:
            raise ImportRefused(_damage(path, error, 0)) from error


def file_encoding(path: Path) -> str:
    """Return the encoding of a text file, as in `ENCODINGS`, by the first piece that is not all ASCII.

    Raises:
        ImportRefused: the file is damaged gzip or a binary format.
    """
    first = b""
    with path.open("rb") as raw:
        try:
            stream = unpacked_stream(raw, path)[0]
            if isinstance(stream.raw, _Utf16AsUtf8):
                return "utf-16"
            for _piece in range(_PIECES_LOOKED_AT):
                piece = stream.read(_PIECE)
                first = first or piece
                if not piece or not piece.isascii():
                    return guess_encoding(piece or first)
        except (EOFError, OSError, zlib.error) as error:
            if not first:
                raise ImportRefused(_damage(path, error, 0)) from error
    return guess_encoding(first)


class _Utf16AsUtf8(io.RawIOBase):
    """A UTF-16 stream re-encoded as UTF-8; invalid UTF-16 becomes invalid UTF-8."""

    def __init__(self, stream: io.BufferedReader, codec: str) -> None:
        self._stream = stream
        # A byte order mark is not part of the text.
        self._decoder = codecs.getincrementaldecoder(codec)("surrogatepass")
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        while not self._ready:
            read = self._stream.read(1 << 16)
            if not read:
                half, _state = self._decoder.getstate()
                self._decoder.reset()
                if not half:
                    return 0
                self._ready = _NO_TEXT
            else:
                self._ready = self._decoder.decode(read).encode("utf-8", "surrogatepass")
        piece, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)


def unpacked_stream(raw: io.BufferedReader, path: Path) -> tuple[io.BufferedReader, bool]:
    """Return a stream of the decompressed text (UTF-16 as UTF-8), and whether the file was compressed."""
    magic = raw.read(16)
    raw.seek(0)
    if magic.startswith(_GZIP_MAGIC):
        packed: Any = io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 16)
        return _in_utf8(packed), True
    if path.suffix.lower() == ".gz":
        raise ImportRefused(f"{path.name} is not gzip-compressed, although its name ends in .gz.")
    if foreign := foreign_binary(magic, path):
        raise ImportRefused(foreign)
    return _in_utf8(raw), False


def _in_utf8(stream: io.BufferedReader) -> io.BufferedReader:
    codec = looks_like_utf16(stream.peek(64))
    return io.BufferedReader(_Utf16AsUtf8(stream, codec)) if codec else stream


def _size(limit: int) -> str:
    """Return a size in human-readable units.

    >>> _size(2 * 1024**3), _size(50 * 1024**2)
    ('2.0 GB', '50 MB')
    """
    return f"{limit / 1024**3:,.1f} GB" if limit >= 1024**3 else f"{limit // 1024**2} MB"


def _damage(path: Path, error: Exception, line: int) -> str:
    where = f" after line {line:,}" if line else ""
    if isinstance(error, OSError) and error.errno is not None:
        return f"{path.name} cannot be read{where}: {_os_reason(error)}."
    what = "is cut off" if isinstance(error, EOFError) else "is damaged"
    return f"The gzip data of {path.name} {what}{where}."


def read_pieces(
    path: Path, *, unpacked_limit: int = UNPACKED_LIMIT, progress: Progress | None = None
) -> Iterator[bytes]:
    """Yield the content of the file in chunks of some kilobytes: UTF-16 as UTF-8, other encodings unchanged.

    Raises:
        ImportRefused: the file is damaged gzip, or unpacks to more than `unpacked_limit` bytes.
    """
    size, unpacked = path.stat().st_size, 0
    with path.open("rb") as raw:
        try:
            stream, is_packed = unpacked_stream(raw, path)
            while piece := stream.read(_PIECE):
                unpacked += len(piece)
                if is_packed and unpacked > unpacked_limit:
                    raise ImportRefused(f"{path.name} unpacks to more than {_size(unpacked_limit)}; split it.")
                yield piece
                if progress is not None:
                    progress(raw.tell(), size)
        except (EOFError, OSError, zlib.error) as error:
            raise ImportRefused(_damage(path, error, 0)) from error


def read_lines(
    path: Path,
    *,
    line_limit: int = LINE_LIMIT,
    unpacked_limit: int = UNPACKED_LIMIT,
    lines_limit: int = LINES_LIMIT,
    progress: Progress | None = None,
) -> Iterator[tuple[int, bytes | LineProblem]]:
    """Yield (line number, line with its end), or the problem of an overlong line.

    A line is read in pieces and dropped as soon as it exceeds the limit, so memory stays bounded. A UTF-8 byte order
    mark in the first line is removed.

    Raises:
        ImportRefused: the file is damaged gzip, unpacks to more than `unpacked_limit` bytes, has more than
            `lines_limit` lines, or more than `BLANK_LINES_LIMIT` consecutive blank lines.
    """
    size = path.stat().st_size
    number = unpacked = blank = 0
    with path.open("rb") as raw:
        try:
            stream, is_packed = unpacked_stream(raw, path)
            while line := stream.readline(line_limit + 1):
                number += 1
                unpacked += len(line)
                is_long = len(line) > line_limit and not line.endswith(b"\n")
                while is_long and not line.endswith(b"\n"):
                    line = stream.readline(line_limit)
                    unpacked += len(line)
                    if not line or (is_packed and unpacked > unpacked_limit):
                        break
                if is_packed and unpacked > unpacked_limit:
                    raise ImportRefused(
                        f"{path.name} unpacks to more than {_size(unpacked_limit)}; split it.",
                        [LineProblem(number, "the file is read up to here")],
                    )
                if number > lines_limit:
                    raise ImportRefused(
                        f"{path.name} has more than {lines_limit:,} lines; split it.",
                        [LineProblem(number, "the file is read up to here")],
                    )
                blank = blank + 1 if line.isspace() else 0
                if blank > BLANK_LINES_LIMIT:
                    raise ImportRefused(
                        f"{path.name} has more than {BLANK_LINES_LIMIT:,} blank lines in a row; remove them.",
                        [LineProblem(number, "only blank lines follow here")],
                    )
                if is_long:
                    yield number, LineProblem(number, f"the line is longer than {line_limit:,} bytes")
                elif number == 1 and line.startswith(b"\xef\xbb\xbf"):
                    yield number, line[3:]
                else:
                    yield number, line
                if progress is not None and number % _PROGRESS_EVERY == 0:
                    progress(raw.tell(), size)
        except (EOFError, OSError, zlib.error) as error:
            problem = LineProblem(number + 1, "the file ends or is damaged here")
            raise ImportRefused(_damage(path, error, number), [problem]) from error
    if progress is not None:
        progress(size, size)
