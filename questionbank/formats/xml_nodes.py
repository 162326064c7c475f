"""Untrusted XML as a small tree whose elements know their byte ranges."""

from __future__ import annotations

import codecs
import html
import re
import xml.parsers.expat as expat
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.lines import Progress, unpacked_stream

DEPTH_LIMIT, ATTRIBUTES_LIMIT, ELEMENTS_LIMIT = 200, 64, 100_000  # of an item, and of a whole document by default
ITEM_LIMIT, TAG_LIMIT = 32 * 1024 * 1024, 1024 * 1024  # bytes
_PIECE = 1 << 16
_DECLARATION = re.compile(rb"""\s*<\?xml[^>]*?(?:encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["'][^>]*)?\?>""")
_TAG = re.compile(rb"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""")
_NAMED = re.compile(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&([A-Za-z][A-Za-z0-9]{1,31});", re.DOTALL)
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
_STANDARD = re.compile(r"[\w.-]{0,100}\.dtd|https?://www\.imsglobal\.org/[\w./-]{1,200}", re.IGNORECASE)
_BEFORE_ROOT = re.compile(r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*(?:\[.*?\]\s*)?>)", re.DOTALL | re.IGNORECASE)
_ROOT = re.compile(r"\s*<([A-Za-z_][\w.:-]*)")
_AT_THE_END = (  # expat's errors for a file that ends too soon
    expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    expat.errors.XML_ERROR_NO_ELEMENTS,
    expat.errors.XML_ERROR_UNCLOSED_TOKEN,
    expat.errors.XML_ERROR_PARTIAL_CHAR,
)
Name = Callable[[str], str]


class BadXml(Exception):
    """A document cannot be read; the message says why, as in "line 3 is not well-formed XML"."""

    def __init__(self, reason: str, line: int = 0) -> None:
        self.reason, self.line = reason, line
        super().__init__(f"line {line:,} {reason}" if line else reason)


class Cdata(str):
    """Text from a CDATA section, which may contain HTML."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Node:
    """An element.

    Attributes:
        start, inner, end: byte offsets of the element, its content, and the first byte after it.
        line: line where it begins.
        pieces: child texts and elements, in order.
        spaces: namespace declarations in force around the element.
    """

    name: str
    attributes: dict[str, str]
    start: int
    inner: int
    line: int = 0
    end: int = 0
    pieces: list[Node | str] = field(default_factory=list)
    spaces: dict[str, str] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute with surrounding whitespace stripped."""
        return self.attributes.get(name, default).strip()

    def children(self, *names: str) -> list[Node]:
        """Return the child elements, of the given names or of any."""
        return [piece for piece in self.pieces if isinstance(piece, Node) and (not names or piece.name in names)]

    def find(self, *path: str) -> Node | None:
        """Return the first element on a path of names, or None."""
        node: Node | None = self
        for name in path:
            node = next(iter(node.children(name)), None) if node is not None else None
        return node

    def iter(self, *names: str) -> Iterator[Node]:
        """Yield the descendant elements, in document order."""
        for child in self.children():
            if not names or child.name in names:
                yield child
            yield from child.iter(*names)

    def text(self) -> str:
        return " ".join(self.all_text().split())

    def all_text(self) -> str:
        """Return all text in the element, unchanged."""
        return "".join(piece if isinstance(piece, str) else piece.all_text() for piece in self.pieces)


def root_element(beginning: str) -> str:
    """Return the name of the first element of an XML text; empty if there is none.

    >>> root_element("<?xml version='1.0'?><!-- a --> <quiz>")
    'quiz'
    """
    place = 0
    while before := _BEFORE_ROOT.match(beginning, place):
        place = before.end()
    name = _ROOT.match(beginning, place)
    return name[1] if name else ""


def _encoding(data: bytes) -> str:
    """Return the declared encoding; a document that declares UTF-16 without being UTF-16 is taken as UTF-8."""
    declared = _DECLARATION.match(data[:400])
    encoding = declared[1].decode().lower() if declared and declared[1] else "utf-8"
    return "utf-8" if encoding == "us-ascii" or encoding.startswith("utf-16") else encoding


def as_utf8(data: bytes) -> bytes:
    """Convert a document to UTF-8, adjusting its declaration and replacing named characters by numbers.

    Raises:
        BadXml: the document is not valid text in its declared encoding.

    >>> as_utf8(b"<p>&nbsp;&lt;<![CDATA[&nbsp;]]></p>")
    b'<p>&#160;&lt;<![CDATA[&nbsp;]]></p>'
    """
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    data = data.removeprefix(codecs.BOM_UTF8)
    encoding = "utf-16" if is_utf16 else _encoding(data)
    try:
        text = data.decode(encoding)
    except (LookupError, UnicodeDecodeError) as error:
        raise BadXml(f"is not valid {encoding}, the encoding that it names; save it as UTF-8") from error
    text = text.lstrip("\ufeff \t\r\n")
    text = re.sub(r"(<\?xml[^>]*?encoding\s*=\s*[\"'])[A-Za-z0-9._-]+", r"\g<1>UTF-8", text[:400]) + text[400:]
    return (_NAMED.sub(_numbered, text) if "&" in text else text).encode("utf-8", "replace")


def _numbered(match: re.Match[str]) -> str:
    if not match[1] or match[1] in _OF_XML:
        return match[0]
    signs = html.unescape(match[0])
    return match[0] if signs == match[0] else "".join(f"&#{ord(sign)};" for sign in signs)


def parse(
    data: bytes,
    *,
    element: Name = str,
    attribute: Name = str,
    kept_whole: Collection[str] = (),
    elements_limit: int = ELEMENTS_LIMIT,
) -> Node:
    """Parse a document in UTF-8; return its root.

    Args:
        element, attribute: map the unprefixed name of an element or attribute to ours.
        kept_whole: elements whose content is skipped; their byte ranges show where it is.

    Raises:
        BadXml: it is not well-formed, declares a document type or exceeds a limit; the message names the line.
    """
    parsing = _Parsing(element, attribute, frozenset(kept_whole), elements_limit)
    parsing.feed(data, is_last=True)
    return parsing.top.children()[0]


class _Parsing:
    """A document being parsed.

    Attributes:
        top: the parent of the root.
        data, offset: the bytes still needed, and their offset in the document.
        count: number of elements so far, without those inside skipped elements.
    """

    def __init__(
        self, element: Name, attribute: Name, kept_whole: frozenset[str], elements_limit: int = ELEMENTS_LIMIT
    ) -> None:
        self._element, self._attribute = element, attribute
        self._kept_whole, self._limit = kept_whole, elements_limit
        self.data, self.offset = bytearray(), 0
        self.top = Node("", {}, 0, 0)
        self._open = [self.top]
        self._spaces: list[dict[str, str]] = [{}]  # in force within each open element
        self._depth = self.count = 0
        self._passed = self._within = 0  # depth of the element being skipped, and number of elements in it
        self._is_cdata = False
        self.parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._document_type
        parser.SkippedEntityHandler = self._undefined
        parser.StartCdataSectionHandler, parser.EndCdataSectionHandler = self._cdata, self._no_cdata

    def feed(self, piece: bytes, *, is_last: bool = False) -> None:
        self.data += piece
        try:
            self.parser.Parse(piece, is_last)
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code]
            raise BadXml(f"is not well-formed XML ({reason})", error.lineno) from error

    def refuse(self, reason: str) -> None:
        raise BadXml(reason, self.parser.CurrentLineNumber)

    @property
    def kept(self) -> Node | None:
        return self._open[-1] if self._passed else None

    def piece(self, start: int, end: int) -> bytes:
        return bytes(self.data[start - self.offset : end - self.offset])

    def forget(self, end: int) -> None:
        """Drop the bytes before an offset, and restart the count of elements."""
        del self.data[: end - self.offset]
        self.offset, self.count = end, 0

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            self.refuse(f"nests elements more than {DEPTH_LIMIT} deep")
        if len(attributes) > ATTRIBUTES_LIMIT:
            self.refuse(f"has an element with more than {ATTRIBUTES_LIMIT} attributes")
        if self._passed:
            self._within += 1
            if self._within > ELEMENTS_LIMIT:
                self.refuse(f"belongs to a question of more than {ELEMENTS_LIMIT:,} elements")
            return
        self._within = 0
        self.count += 1
        if self.count > self._limit:
            self.refuse(f"belongs to a document of more than {self._limit:,} elements")
        start = self.parser.CurrentByteIndex
        tag = _TAG.match(self.data, start - self.offset)
        inner = tag.end() + self.offset if tag else start
        own = self._element(name.rpartition(":")[2])
        named = {self._attribute(key): value for key, value in attributes.items() if key[:5] != "xmlns"}
        spaces = {key: value for key, value in attributes.items() if key[:5] == "xmlns"}
        node = Node(own, named, start, inner, self.parser.CurrentLineNumber)
        if own in self._kept_whole:
            self._passed = self._depth
            self.parser.CharacterDataHandler = None
        self._open[-1].pieces.append(node)
        self._open.append(node)
        around = node.spaces = self._spaces[-1]
        self._spaces.append(around | spaces if spaces else around)

    def _end(self, _name: str) -> None:
        self._depth -= 1
        if self._passed and self._depth >= self._passed:
            return
        self._passed = 0
        self.parser.CharacterDataHandler = self._characters
        node = self._open.pop()
        self._spaces.pop()
        inner = node.inner - self.offset
        if self.data[inner - 2 : inner] == b"/>":
            node.end = node.inner
        else:
            closing = self.parser.CurrentByteIndex - self.offset
            node.end = self.data.index(b">", closing) + 1 + self.offset

    def _characters(self, text: str) -> None:
        self._open[-1].pieces.append(Cdata(text) if self._is_cdata else text)

    def _cdata(self) -> None:
        self._is_cdata = True

    def _no_cdata(self) -> None:
        self._is_cdata = False

    def _document_type(self, _name: str, system: str | None, _public: str | None, has_entities: bool) -> None:
        """Refuse a document type, except a standard one, which is never fetched."""
        if has_entities:
            self.refuse(
                "declares a document type (DOCTYPE) with entities of its own, which are not read for safety;"
                " remove everything from <!DOCTYPE to its ]>, and save the file"
            )
        if not _STANDARD.fullmatch(system or ""):
            self.refuse(
                "declares a document type (DOCTYPE) that another file describes, which is not read for safety;"
                " remove everything from <!DOCTYPE to its >, and save the file"
            )

    def _undefined(self, name: str, _is_parameter: bool) -> None:
        self.refuse(f"names the character &{name[:40]};, which the file does not define")


# -- large files -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class XmlItem:
    """A child element of the root.

    Attributes:
        data: its bytes, in UTF-8.
        preamble: the bytes between the previous item and this one.
        line: line where it begins.
        attributes: attributes of its tag.
    """

    data: bytes
    preamble: bytes
    line: int
    attributes: dict[str, str]


def xml_items(
    path: Path, *, root: str, item: str, unpacked_limit: int, progress: Progress | None = None
) -> Iterator[XmlItem]:
    """Yield the `item` elements that are children of `root`.

    Raises:
        ImportRefused: it is another kind of file, is damaged or exceeds a limit; the message names the line.
    """
    parsing = _Parsing(str, str, frozenset({item}))
    with path.open("rb") as raw:
        stream, _packed = unpacked_stream(raw, path)
        size = max(path.stat().st_size, 1)
        try:
            for piece in _utf8_pieces(stream, parsing, unpacked_limit):
                parsing.feed(piece, is_last=not piece)
                yield from _ready(parsing, root, item)
                if progress is not None:
                    progress(raw.tell(), size)
        except BadXml as error:
            reason = _cut_off(parsing, error) or error.reason
            problem = LineProblem(error.line, reason)
            raise ImportRefused(f"{path.name} cannot be read: line {error.line:,} {reason}.", [problem]) from error
        except (EOFError, OSError) as error:
            raise ImportRefused(f"{path.name} is damaged: it cannot be unpacked.") from error


def _utf8_pieces(stream: Any, parsing: _Parsing, unpacked_limit: int) -> Iterator[bytes]:
    """Yield a file in UTF-8, and an empty piece at its end."""
    read, encoding = 0, ""
    while piece := stream.read(_PIECE):
        read += len(piece)
        if read > unpacked_limit:
            parsing.refuse(f"holds more than {unpacked_limit // 1024**2:,} MB")
        if not encoding:
            piece = piece.removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n")
            if not piece:
                continue
            encoding = _encoding(piece)
            try:
                decoder = codecs.getincrementaldecoder(encoding)()
            except LookupError:
                parsing.refuse(f"names an encoding that is not known, {encoding!r}; save it as UTF-8")
        try:
            text = decoder.decode(piece)
        except UnicodeDecodeError as error:
            yield error.object[: error.start].decode(encoding, "replace").encode()
            parsing.refuse(f"holds bytes that are not valid {encoding}, the encoding that it names; save it as UTF-8")
        if text:
            yield text.encode()
    yield b""


def _ready(parsing: _Parsing, root: str, item: str) -> Iterator[XmlItem]:
    """Yield the items completed since the last call, and drop their bytes."""
    top = next(iter(parsing.top.children()), None)
    if top is not None and top.name != root:
        raise BadXml(f"begins with the element {top.name[:40]!r}, not with {root!r}", top.line)
    done = parsing.offset
    if top is not None:
        done = max(done, top.inner)
        for node in top.children(item):
            if node.end:
                preamble, data = parsing.piece(done, node.start), parsing.piece(node.start, node.end)
                yield XmlItem(data, preamble, node.line, node.attributes)
                done = node.end
        top.pieces = [node for node in top.children() if not node.end]
    parsing.forget(done)
    behind = parsing.offset + len(parsing.data)
    if behind - parsing.parser.CurrentByteIndex > TAG_LIMIT + _PIECE:
        parsing.refuse(f"has a tag of more than {TAG_LIMIT // 1024**2} MB")
    if behind - done > ITEM_LIMIT + _PIECE:
        parsing.refuse(f"belongs to a question of more than {ITEM_LIMIT // 1024**2} MB")


def _cut_off(parsing: _Parsing, error: BadXml) -> str:
    """Return which question a truncated file ends in; empty for other faults."""
    cause, within = error.__cause__, parsing.kept
    reason = expat.errors.messages[cause.code] if isinstance(cause, expat.ExpatError) else ""
    if within is None or reason not in _AT_THE_END:
        return ""
    return (
        f"ends within the question that begins in line {within.line:,}: the file is cut off, or a section <![CDATA["
        " is never closed by ]]>"
    )
