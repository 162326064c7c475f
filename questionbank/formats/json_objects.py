"""The JSON objects of a file, one after the other in bounded memory: JSON Lines, a JSON list, or indented objects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analytics.json_lines import LINE_LIMIT, UNPACKED_LIMIT, parse_object
from questionbank.errors import LineProblem
from questionbank.formats.encodings import decode_text
from questionbank.formats.json_latex import has_undoubled_latex, repair_latex
from questionbank.formats.lines import Progress, first_bytes, read_lines, read_pieces

_STEP = re.compile(rb'\\.|["{}\n]', re.DOTALL)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def json_objects(
    path: Path, *, progress: Progress | None = None, unpacked_limit: int = UNPACKED_LIMIT
) -> Iterator[tuple[int, bytes | LineProblem]]:
    """Yield (line number, text of an object) or the problem of one that is too long; blank lines are left out.

    In a file of JSON Lines that is each line, whatever it holds.

    Raises:
        ImportRefused: the file as a whole cannot be read on.
    """
    beginning = first_bytes(path, 4_096).removeprefix(_BYTE_ORDER_MARK).lstrip()
    if re.match(rb"\[\s*\{", beginning) or beginning.partition(b"\n")[0].strip() == b"{":
        yield from _objects(read_pieces(path, progress=progress, unpacked_limit=unpacked_limit))
        return
    for number, line in read_lines(path, progress=progress, unpacked_limit=unpacked_limit):
        if isinstance(line, LineProblem) or line.strip():
            yield number, line


def read_object(text: bytes, encoding: str) -> tuple[str, list[int], dict[str, Any]]:
    r"""Return the text of an object, which of its strings had LaTeX with single backslashes, and the object.

    Raises:
        ValueError: it is none; the message is for the user.
    """
    line = decode_text(text.rstrip(), encoding)
    repaired, changed = repair_latex(line) if has_undoubled_latex(text) else (line, [])
    try:
        return repaired, changed, parse_object(repaired)
    except ValueError:
        repaired, changed = repair_latex(line)  # \sqrt makes it no JSON
        if not changed:
            raise
        return repaired, changed, parse_object(repaired)


def _objects(pieces: Iterator[bytes]) -> Iterator[tuple[int, bytes | LineProblem]]:
    line, started_on, depth = 1, 0, 0
    is_string = False
    object_text = bytearray()
    rest = b""
    for piece in pieces:
        data = rest + piece
        # a backslash at the end of a piece belongs to what comes next
        odd = (len(data) - len(data.rstrip(b"\\"))) % 2
        rest, data = (b"\\", data[:-1]) if odd else (b"", data)
        taken = 0
        for step in _STEP.finditer(data):
            sign = step.group()
            if sign == b"\n":
                line += 1
            elif sign == b'"':
                is_string = not is_string
            elif is_string or len(sign) == 2:
                line += sign.count(b"\n")
            elif sign == b"{":
                if depth == 0:
                    started_on, taken = line, step.start()
                depth += 1
            elif depth:
                depth -= 1
                if depth == 0:
                    object_text += data[taken : step.end()]
                    if len(object_text) > LINE_LIMIT:
                        yield started_on, _too_long(started_on)
                    else:
                        yield started_on, bytes(object_text)
                    object_text.clear()
        if depth and len(object_text) <= LINE_LIMIT:
            object_text += data[taken:]
    if depth and len(object_text) > LINE_LIMIT:
        yield started_on, _too_long(started_on)
    elif depth:
        yield started_on, LineProblem(started_on, "not JSON: the object that begins here is never closed")


def _too_long(line: int) -> LineProblem:
    return LineProblem(line, f"the object is longer than {LINE_LIMIT:,} bytes")
