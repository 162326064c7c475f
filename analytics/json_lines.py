"""JSON Lines, plain or gzip-compressed: limits on lines and texts, and reading a file in bounded memory.

Every line is either read or rejected with a message that names it.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from analytics.errors import DataError

LINE_LIMIT = 1_000_000  # bytes
UNPACKED_LIMIT = 2 * 1024**3  # maximum decompressed size of a gzip file, in bytes
TEXT_LIMIT = 50_000  # characters

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _Constant(ValueError):
    """NaN or Infinity, which Python's parser accepts although JSON does not allow them."""


def _refuse_constant(name: str) -> NoReturn:
    raise _Constant(f"not JSON: {name} is not a number there")


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)


def read_objects(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number, JSON object) of each non-blank line; ``.gz`` files are decompressed.

    Raises:
        DataError: the file or a line cannot be read; the message names file and line.
    """
    number = unpacked = 0
    is_packed = file.name.endswith(".gz")
    try:
        with gzip.open(file, "rb") if is_packed else file.open("rb") as stream:
            while line := stream.readline(LINE_LIMIT + 1):
                number += 1
                unpacked += len(line)
                if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
                    raise ValueError(f"the line is longer than {LINE_LIMIT:,} bytes")
                if is_packed and unpacked > UNPACKED_LIMIT:
                    raise ValueError(f"the file unpacks to more than {UNPACKED_LIMIT / 1024**3:,.1f} GB")
                text = decode_line(line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line).rstrip()
                if text:
                    yield number, parse_object(text)
    except ValueError as error:
        raise DataError(f"{file.name}, line {max(number, 1)}: {error}.") from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file} cannot be read: {error}.") from error


@contextmanager
def naming_line(file: Path, number: int) -> Iterator[None]:
    """Add the file and line number to errors about a line's values.

    Raises:
        DataError: replaces a `ValueError`; the message names file and line.
    """
    try:
        yield
    except ValueError as error:
        raise DataError(f"{file.name}, line {number}: {error}.") from error


def decode_line(line: bytes) -> str:
    """Decode one line.

    Raises:
        ValueError: it is not UTF-8 or holds a NUL character; the message is for the user.
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"invalid UTF-8 at byte {error.start + 1} of the line (0x{line[error.start]:02x})") from error
    if "\0" in text:
        raise ValueError(f"a NUL character at byte {line.index(0) + 1} of the line")
    return text


def parse_object(text: str) -> dict[str, Any]:
    """Return the JSON object of one line.

    Raises:
        ValueError: it is not a JSON object; the message is for the user.
    """
    try:
        row = _decoder.decode(text)
    except json.JSONDecodeError as error:
        reason = error.msg.lower().removesuffix(" at")
        raise ValueError(f"not JSON: {reason} at column {error.colno}") from error
    except RecursionError as error:
        raise ValueError("not usable JSON: nested too deeply") from error
    except _Constant:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise ValueError("not usable JSON: a number has too many digits") from error
    if type(row) is not dict:
        kind = "a list" if isinstance(row, list) else "a single value"
        raise ValueError(f"the line holds {kind}, not a JSON object")
    return row


def string_problem(value: str, limit: int) -> str:
    r"""Describe what in a string no tokenizer, database or page could handle; empty if nothing.

    >>> string_problem("a\0b", 10), string_problem("plain", 10)
    ('holds a NUL character', '')
    """
    if len(value) > limit:
        return f"has {len(value):,} characters, more than {limit:,}"
    if value.isascii():
        return "holds a NUL character" if "\0" in value else ""
    if "\0" in value:
        return "holds a NUL character"
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return "holds half of a surrogate pair, which is not a character"
    return ""
