"""An XML document of a stranger as a small tree whose elements know at which byte they begin and end.

So a part of a document can be read, kept or replaced while all other bytes stay: namespaces, comments, the order of
attributes. Prefixes are dropped, since exports leave them out, misspell them or put them where none belongs. Document
types, with which a file defines entities or names other files, are refused; HTML's names of characters are read.
"""

from __future__ import annotations

import codecs
import html
import re
import xml.parsers.expat as expat
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from questionbank.formats.xml_items import ATTRIBUTES_LIMIT, DEPTH_LIMIT, ELEMENTS_LIMIT, document_type_fault

_DECLARATION = re.compile(rb"""\s*<\?xml[^>]*?(?:encoding\s*=\s*["']([A-Za-z0-9._-]{1,40})["'][^>]*)?\?>""")
_TAG = re.compile(rb"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""")
_NAMED = re.compile(r"<!\[CDATA\[.*?\]\]>|<!--.*?-->|&([A-Za-z][A-Za-z0-9]{1,31});", re.DOTALL)
_OF_XML = frozenset({"amp", "lt", "gt", "quot", "apos"})
Name = Callable[[str], str]


class BadXml(Exception):
    """A document cannot be read; the message says why, as in "line 3 is no well-formed XML"."""


class Cdata(str):
    """Text that stood in a CDATA section, which may hold HTML."""

    __slots__ = ()


@dataclass(slots=True, eq=False)
class Node:
    """An element.

    Attributes:
        start, inner, inner_end, end: bytes at which the element, its inside, and what follows each begin.
        pieces: texts and elements in it, in their order.
        spaces: declarations of namespaces that are in force around an element of `kept_whole`.
    """

    name: str
    attributes: dict[str, str]
    start: int
    inner: int
    inner_end: int = 0
    end: int = 0
    pieces: list[Node | str] = field(default_factory=list)
    spaces: dict[str, str] = field(default_factory=dict)

    def get(self, name: str, default: str = "") -> str:
        """Return an attribute without blanks around it."""
        return self.attributes.get(name, default).strip()

    def children(self, *names: str) -> list[Node]:
        """Return the elements right below, of some names or of any."""
        return [
            piece for piece in self.pieces if isinstance(piece, Node) and (not names or piece.name in names)
        ]

    def find(self, *path: str) -> Node | None:
        """Return the first element on a path of names, or None."""
        node: Node | None = self
        for name in path:
            node = next(iter(node.children(name)), None) if node is not None else None
        return node

    def iter(self, *names: str) -> Iterator[Node]:
        """Yield the elements below, in the order of the document."""
        for child in self.children():
            if not names or child.name in names:
                yield child
            yield from child.iter(*names)

    def text(self) -> str:
        """Return all text in it, blanks tidied."""
        return " ".join(self.all_text().split())

    def all_text(self) -> str:
        """Return all text in it as it stands."""
        return "".join(piece if isinstance(piece, str) else piece.all_text() for piece in self.pieces)


def as_utf8(data: bytes) -> bytes:
    """Return a document in UTF-8 whose declaration says so, and whose named characters are numbers.

    Raises:
        BadXml: it is no text in the encoding that it names.

    >>> as_utf8(b"<p>&nbsp;&lt;<![CDATA[&nbsp;]]></p>")
    b'<p>&#160;&lt;<![CDATA[&nbsp;]]></p>'
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    else:
        data = data.removeprefix(codecs.BOM_UTF8)
        declared = _DECLARATION.match(data[:400])
        encoding = declared[1].decode().lower() if declared and declared[1] else "utf-8"
        if encoding.startswith("utf-16"):  # which would begin otherwise: a stream came as UTF-8
            encoding = "utf-8"
    try:
        text = data.decode(encoding)
    except (LookupError, UnicodeDecodeError) as error:
        raise BadXml(f"is no text in {encoding}, the encoding that it names; save it as UTF-8") from error
    text = text.lstrip("\ufeff \t\r\n")
    text = (
        re.sub(r"(<\?xml[^>]*?encoding\s*=\s*[\"'])[A-Za-z0-9._-]+", r"\g<1>UTF-8", text[:400]) + text[400:]
    )
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
    """Return the root of a document in UTF-8.

    Args:
        element, attribute: our name of an element or an attribute, from the one without a prefix.
        kept_whole: elements whose inside is passed over; where it is, their bytes say.

    Raises:
        BadXml: it is not well-formed, declares a document type, or goes beyond a limit; says in which line.
    """
    return _Parsing(data, element, attribute, frozenset(kept_whole), elements_limit).root()


class _Parsing:
    def __init__(
        self, data: bytes, element: Name, attribute: Name, kept_whole: frozenset[str], elements_limit: int
    ) -> None:
        self._data, self._element, self._attribute = data, element, attribute
        self._kept_whole, self._limit = kept_whole, elements_limit
        self._parser = expat.ParserCreate("utf-8")
        self._parser.buffer_text = True
        self._top = Node("", {}, 0, 0)
        self._open = [self._top]
        self._spaces: list[dict[str, str]] = []
        self._depth = self._count = 0
        self._passed = self._within = 0  # depth of the element that is kept whole, and elements in it
        self._is_cdata = False

    def root(self) -> Node:
        parser = self._parser
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._document_type
        parser.SkippedEntityHandler = self._undefined
        parser.StartCdataSectionHandler, parser.EndCdataSectionHandler = self._cdata, self._no_cdata
        try:
            parser.Parse(self._data, True)
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code]
            raise BadXml(f"line {error.lineno:,} is no well-formed XML ({reason})") from error
        return self._top.children()[0]

    def _refuse(self, reason: str) -> None:
        raise BadXml(f"line {self._parser.CurrentLineNumber:,} {reason}")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            self._refuse(f"nests elements more than {DEPTH_LIMIT} deep")
        if len(attributes) > ATTRIBUTES_LIMIT:
            self._refuse(f"has an element with more than {ATTRIBUTES_LIMIT} attributes")
        if self._passed:
            self._within += 1
            if self._within > ELEMENTS_LIMIT:
                self._refuse(f"belongs to an item of more than {ELEMENTS_LIMIT:,} elements")
            return
        self._within = 0
        self._count += 1
        if self._count > self._limit:
            self._refuse(f"belongs to a document of more than {self._limit:,} elements")
        start = self._parser.CurrentByteIndex
        tag = _TAG.match(self._data, start)
        inner = tag.end() if tag else start
        own = self._element(name.rpartition(":")[2])
        named = {self._attribute(key): value for key, value in attributes.items() if key[:5] != "xmlns"}
        spaces = {key: value for key, value in attributes.items() if key[:5] == "xmlns"}
        node = Node(own, named, start, inner)
        if own in self._kept_whole:
            self._passed = self._depth
            node.spaces = {key: value for around in self._spaces for key, value in around.items()}
        self._open[-1].pieces.append(node)
        self._open.append(node)
        self._spaces.append(spaces)

    def _end(self, _name: str) -> None:
        self._depth -= 1
        if self._passed and self._depth >= self._passed:
            return
        self._passed = 0
        node = self._open.pop()
        self._spaces.pop()
        if self._data[node.inner - 2 : node.inner] == b"/>":
            node.inner_end = node.end = node.inner
        else:
            node.inner_end = self._parser.CurrentByteIndex
            node.end = self._data.index(b">", node.inner_end) + 1

    def _characters(self, text: str) -> None:
        if not self._passed:
            self._open[-1].pieces.append(Cdata(text) if self._is_cdata else text)

    def _cdata(self) -> None:
        self._is_cdata = True

    def _no_cdata(self) -> None:
        self._is_cdata = False

    def _document_type(self, *declared: Any) -> None:
        if fault := document_type_fault(*declared):
            self._refuse(fault)

    def _undefined(self, name: str, _is_parameter: bool) -> None:
        self._refuse(f"names the character &{name[:40]};, which the file does not define")


def replaced(data: bytes, edits: Collection[tuple[int, int, bytes]]) -> bytes:
    """Return a document with pieces of it, each from one byte to before another, replaced.

    >>> replaced(b"<a>1</a>", [(3, 4, b"2")])
    b'<a>2</a>'
    """
    for start, end, piece in sorted(edits, reverse=True):
        data = data[:start] + piece + data[end:]
    return data
