"""Lines of a plain or gzip-compressed text file in any encoding, in bounded memory.

Encodings are detected and named. UTF-16 files, which spreadsheet programs save as "Unicode text", are read as UTF-8.
"""

from __future__ import annotations

import codecs
import gzip
import io
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from analytics.json_lines import LINE_LIMIT, UNPACKED_LIMIT, decode_line
from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.foreign import foreign_binary
from questionbank.formats.limits import BLANK_LINES_LIMIT, LINES_LIMIT

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "windows-1252": "Windows-1252",
    "mac-roman": "Mac Roman",
    "gb18030": "GB18030",
}
"""Supported encodings by name; `questionbank.formats.lines` converts UTF-16 to UTF-8."""

_WESTERN = frozenset("äöüßÄÖÜéèêëàâçîïôœùûÉÈÀÇáíóúñÁÍÓÚÑ¿¡øåæ°²³½¼¾×÷±·€£µ«»–—’‘“”„…åÅ")


def looks_like_utf16(beginning: bytes) -> str:
    r"""Return the UTF-16 codec by byte order mark, or by the zero bytes of ASCII letters; empty if it is not UTF-16.

    >>> looks_like_utf16("\ufefftext".encode("utf-16-le")), looks_like_utf16("a;b".encode("utf-16-be"))
    ('utf-16', 'utf-16-be')
    >>> looks_like_utf16(b"text")
    ''
    """
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    start = beginning[:64]
    if len(start) >= 6 and b"\0" in start:
        units = len(start) // 2
        for codec, zeros, letters in (("utf-16-le", start[1::2], start[::2]), ("utf-16-be", start[::2], start[1::2])):
            if zeros.count(0) >= 0.5 * units and not letters.count(0):
                return codec
    return ""


def guess_encoding(beginning: bytes) -> str:
    r"""Guess the encoding of a text from its beginning.

    GB18030 could decode most of Windows-1252 too; but in Chinese text both bytes of a character are above 0xA0, and in
    Western text an accented letter is mostly next to a plain one. Windows-1252 and Mac Roman are told apart by which
    one yields the characters that occur in Western texts.

    >>> guess_encoding("2 × 3 求".encode()), guess_encoding("求面积".encode("gb18030"))
    ('utf-8', 'gb18030')
    >>> guess_encoding("Größe, caf\u00e9".encode("windows-1252")), guess_encoding("Größe".encode("mac-roman"))
    ('windows-1252', 'mac-roman')
    """
    if looks_like_utf16(beginning):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(beginning, final=False)
    except UnicodeDecodeError:
        if re.search(rb"[\xc3-\xf4][\x80-\xbf]", beginning) and _is_mostly_utf8(beginning):
            return "utf-8"  # with some damage, which is reported line by line
    else:
        return "utf-8"
    high = len(re.findall(rb"[\x81-\xfe]", beginning))
    pairs = len(re.findall(rb"[\xa1-\xf7][\xa1-\xfe]", beginning))
    try:
        codecs.getincrementaldecoder("gb18030")().decode(beginning, final=False)
    except UnicodeDecodeError:
        return _western(beginning)
    if 2 * pairs >= 0.8 * high or _gbk_share(beginning) > 0.9:
        return "gb18030"
    return _western(beginning)


def _is_mostly_utf8(beginning: bytes) -> bool:
    decoded = beginning.decode("utf-8", "surrogateescape")
    damaged = sum(1 for sign in decoded if "\udc80" <= sign <= "\udcff")
    return damaged <= sum(1 for sign in decoded if sign > "\x7f") - damaged


def _gbk_share(beginning: bytes) -> float:
    """Return the share of the non-ASCII characters that are Chinese when read as GB18030."""
    signs = [sign for sign in beginning.decode("gb18030", "ignore") if sign > "\x7f"]
    # Two letters of a Western text occasionally form a rare character; common ones are in the first level of GB 2312.
    wide = (sign for sign in signs if unicodedata.east_asian_width(sign) in "WFA")
    common = sum(1 for sign in wide if sign.encode("gb2312", "ignore"))
    return common / len(signs) if len(signs) >= 8 else 0.0


def _western(beginning: bytes) -> str:
    scores = {
        encoding: sum(1 if sign in _WESTERN else -1 for sign in beginning.decode(encoding, "replace") if sign > "\x7f")
        for encoding in ("windows-1252", "mac-roman")
    }
    best = max(scores, key=lambda encoding: scores[encoding])
    return best if scores[best] > 0 else "utf-8"  # neither; the errors are reported line by line


def decode_text(line: bytes, encoding: str) -> str:
    """Decode a line of text.

    Raises:
        ValueError: the line is not valid in this encoding or contains a NUL character; the message is for the user.
    """
    if encoding in ("utf-8", "utf-16"):
        return decode_line(line)
    try:
        text = line.decode(encoding)
    except UnicodeDecodeError as error:
        where = f"at byte {error.start + 1} of the line (0x{line[error.start]:02x})"
        raise ValueError(f"invalid {encoding} {where}") from error
    return decode_line(text.encode("utf-8"))


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
