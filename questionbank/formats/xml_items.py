"""The items of a large XML file, each as its own bytes, in bounded memory and within limits.

Expat says at which byte an element begins and ends; what lies between is kept as it stands, so that nothing of it can
be lost by parsing: namespaces, comments, the order of attributes. Document types, with which a file defines entities or
names other files, are refused (https://owasp.org, XML External Entity Prevention).
"""

from __future__ import annotations

import codecs
import re
import xml.parsers.expat as expat
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questionbank.errors import ImportRefused, LineProblem
from questionbank.formats.lines import Progress, unpacked_stream

DEPTH_LIMIT, ATTRIBUTES_LIMIT, ELEMENTS_LIMIT = 200, 64, 100_000  # elements of an item
ITEM_LIMIT, TAG_LIMIT = 32 * 1024 * 1024, 1024 * 1024  # bytes
_PIECE = 1 << 16
_DECLARED = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["'][^>]*\?>""")


@dataclass(frozen=True, slots=True)
class XmlItem:
    """An element below the root.

    Attributes:
        data: its bytes, in UTF-8.
        preamble: what stands between the element before and this one.
        line: where it begins.
        attributes: of its tag.
    """

    data: bytes
    preamble: bytes
    line: int
    attributes: dict[str, str]


def root_element(beginning: str) -> str:
    """Return the name of the first element of an XML text, or nothing.

    >>> root_element("<?xml version='1.0'?><!-- a --> <quiz>")
    'quiz'
    """
    place = 0
    while before := _BEFORE_ROOT.match(beginning, place):
        place = before.end()
    name = _ROOT.match(beginning, place)
    return name[1] if name else ""


def document_type_fault(_name: str, system: str | None, _public: str | None, has_entities: bool) -> str:
    """Return why a document type (DOCTYPE) is refused; nothing for the name of a standard's, which is never fetched."""
    if has_entities:
        return (
            "declares a document type (DOCTYPE) with entities of its own, which are not read for safety;"
            " remove everything from <!DOCTYPE to its ]>, and save the file"
        )
    if _STANDARD.fullmatch(system or ""):
        return ""
    return (
        "declares a document type (DOCTYPE) that another file describes, which is not read for safety;"
        " remove everything from <!DOCTYPE to its >, and save the file"
    )


_STANDARD = re.compile(r"[\w.-]{0,100}\.dtd|https?://www\.imsglobal\.org/[\w./-]{1,200}", re.IGNORECASE)
_BEFORE_ROOT = re.compile(
    r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*(?:\[.*?\]\s*)?>)", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(r"\s*<([A-Za-z_][\w.:-]*)")
_AT_THE_END = (  # what expat says of a file that ends too soon
    expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    expat.errors.XML_ERROR_NO_ELEMENTS,
    expat.errors.XML_ERROR_UNCLOSED_TOKEN,
    expat.errors.XML_ERROR_PARTIAL_CHAR,
)


class _Refused(Exception):
    """Why the file is not read on."""


def xml_items(
    path: Path, *, root: str, item: str, unpacked_limit: int, progress: Progress | None = None
) -> Iterator[XmlItem]:
    """Yield the elements `item` right below `root`.

    Raises:
        ImportRefused: it is no such file, is damaged, or goes beyond a limit; says in which line.
    """
    with path.open("rb") as raw:
        stream, _packed = unpacked_stream(raw, path)
        slicer = _Slicer(root, item)
        size, read = max(path.stat().st_size, 1), 0
        try:
            while piece := stream.read(_PIECE):
                read += len(piece)
                if read > unpacked_limit:
                    raise _Refused(f"holds more than {unpacked_limit // 1024**2:,} MB")
                slicer.feed(piece)
                yield from slicer.take()
                if progress is not None:
                    progress(raw.tell(), size)
            slicer.end()
            yield from slicer.take()
        except expat.ExpatError as error:
            raise _refusal(path, slicer.why(error), error.lineno) from error
        except _Refused as error:
            raise _refusal(path, str(error), slicer.line) from error
        except (EOFError, OSError) as error:
            raise ImportRefused(f"{path.name} is damaged: it cannot be unpacked.") from error


def _refusal(path: Path, reason: str, line: int) -> ImportRefused:
    return ImportRefused(f"{path.name} cannot be read: line {line:,} {reason}.", [LineProblem(line, reason)])


class _Slicer:
    def __init__(self, root: str, item: str) -> None:
        self._root, self._item = root, item
        self._parser = expat.ParserCreate()
        self._depth = 0
        self._buffer = bytearray()
        self._offset = 0  # of the buffer in the file
        self._done = 0  # where the item before ends
        self._begin: tuple[int, int, dict[str, str]] | None = None
        self._ready: deque[tuple[int, int, int, int, dict[str, str]]] = deque()
        self._encoding = ""
        self._elements = 0  # of the item so far

    @property
    def line(self) -> int:
        return self._parser.CurrentLineNumber

    def feed(self, piece: bytes) -> None:
        if not self._encoding:
            piece = piece.lstrip(b" \t\r\n") if not self._buffer else piece
            if not piece:
                return
            self._begin_parsing(piece)
        self._buffer += piece
        self._parser.Parse(piece, False)
        if self._offset + len(self._buffer) - self._parser.CurrentByteIndex > TAG_LIMIT + _PIECE:
            raise _Refused(f"has a tag of more than {TAG_LIMIT // 1024**2} MB")
        if self._offset + len(self._buffer) - self._done > ITEM_LIMIT + _PIECE and not self._ready:
            raise _Refused(f"belongs to a question of more than {ITEM_LIMIT // 1024**2} MB")

    def _begin_parsing(self, beginning: bytes) -> None:
        declared = _DECLARED.search(beginning[:400])
        name = declared[1].decode().lower() if declared else "utf-8"
        # A stream in UTF-16 comes as UTF-8, whatever it declares.
        self._encoding = "utf-8" if name in ("utf8", "us-ascii") or name.startswith("utf-16") else name
        try:
            codecs.lookup(self._encoding)
        except LookupError as error:
            raise _Refused(
                f"names an encoding that is not known, {self._encoding!r}; save it as UTF-8"
            ) from error
        self._parser = expat.ParserCreate(self._encoding)
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._document_type

    def end(self) -> None:
        self._parser.Parse(b"", True)

    def take(self) -> Iterator[XmlItem]:
        while self._ready:
            before, start, end, line, attributes = self._ready.popleft()
            preamble = bytes(self._buffer[before - self._offset : start - self._offset])
            data = bytes(self._buffer[start - self._offset : end - self._offset])
            yield XmlItem(self._utf8(data), self._utf8(preamble), line, attributes)
        if self._done > self._offset:
            del self._buffer[: self._done - self._offset]
            self._offset = self._done

    def why(self, error: expat.ExpatError) -> str:
        reason = expat.errors.messages[error.code]
        if reason in _AT_THE_END and self._begin is not None:
            return (
                f"ends within the question that begins in line {self._begin[1]:,}: the file is cut off, or a"
                " section <![CDATA[ is never closed by ]]>"
            )
        if "invalid token" in reason:
            around = bytes(self._buffer[-2 * _PIECE :])
            try:
                around.decode(self._encoding or "utf-8")
            except UnicodeDecodeError as wrong:
                if wrong.end < len(around) - 4:
                    name = self._encoding or "utf-8"
                    return f"holds bytes that are no text in {name}, the encoding that it names; save it as UTF-8"
            except LookupError:
                pass
        return f"is no well-formed XML ({reason})"

    def _utf8(self, data: bytes) -> bytes:
        return data if self._encoding == "utf-8" else data.decode(self._encoding, "replace").encode()

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise _Refused(f"nests elements more than {DEPTH_LIMIT} deep")
        self._elements = self._elements + 1 if self._depth > 2 else 0
        if self._elements > ELEMENTS_LIMIT:
            raise _Refused(f"belongs to a question of more than {ELEMENTS_LIMIT:,} elements")
        if len(attributes) > ATTRIBUTES_LIMIT:
            raise _Refused(f"has an element with more than {ATTRIBUTES_LIMIT} attributes")
        if self._depth == 1:
            if name != self._root:
                raise _Refused(f"begins with the element {name[:40]!r}, not with {self._root!r}")
            self._done = self._end_of_tag(self._parser.CurrentByteIndex)
        elif self._depth == 2 and name == self._item:
            self._begin = self._parser.CurrentByteIndex, self.line, attributes

    def _end(self, name: str) -> None:
        if self._depth == 2 and self._begin is not None and name == self._item:
            start, line, attributes = self._begin
            end = self._end_of_tag(self._parser.CurrentByteIndex)
            self._ready.append((self._done, start, end, line, attributes))
            self._done, self._begin = end, None
        self._depth -= 1

    def _end_of_tag(self, start: int) -> int:
        """Return where the tag ends that begins there; an element without content has one tag alone."""
        return self._offset + self._buffer.find(b">", start - self._offset) + 1

    def _document_type(self, *declared: Any) -> None:
        if fault := document_type_fault(*declared):
            raise _Refused(fault)
