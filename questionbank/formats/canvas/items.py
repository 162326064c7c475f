"""The items of one file of QTI 1.2, each as its own bytes, with the title of the quiz or bank that they stand in."""

from __future__ import annotations

import xml.parsers.expat as expat
from dataclasses import dataclass
from typing import Any

from questionbank.formats.xml_items import ATTRIBUTES_LIMIT, DEPTH_LIMIT, ELEMENTS_LIMIT, document_type_fault
from questionbank.formats.xml_nodes import BadXml, as_utf8


@dataclass(frozen=True, slots=True)
class QtiItem:
    """An ``<item>`` element.

    Attributes:
        title: of the assessment or bank around it.
        line: of its file.
    """

    data: bytes
    title: str
    line: int


def qti_items(data: bytes) -> list[QtiItem]:
    """Return the items of a file in their order, wherever they stand.

    Raises:
        BadXml: it is no QTI 1.2, or goes beyond a limit.
    """
    return _Items(as_utf8(data)).read()


class _Items:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._parser = expat.ParserCreate("utf-8")
        self._depth = self._elements = 0
        self._title = ""
        self._begin: tuple[int, int, int] | None = None  # depth, byte, line of the item that is open
        self._label = self._text = ""
        self._items: list[QtiItem] = []

    def read(self) -> list[QtiItem]:
        parser = self._parser
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._document_type
        parser.SkippedEntityHandler = self._undefined
        try:
            parser.Parse(self._data, True)
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code]
            raise BadXml(f"line {error.lineno:,} is no well-formed XML ({reason})") from error
        return self._items

    def _refuse(self, reason: str) -> None:
        raise BadXml(f"line {self._parser.CurrentLineNumber:,} {reason}")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(":")[2]
        self._depth += 1
        self._text = ""
        if self._depth > DEPTH_LIMIT:
            self._refuse(f"nests elements more than {DEPTH_LIMIT} deep")
        if len(attributes) > ATTRIBUTES_LIMIT:
            self._refuse(f"has an element with more than {ATTRIBUTES_LIMIT} attributes")
        if self._depth == 1 and name != "questestinterop":
            self._refuse(f"begins with the element {name[:40]!r}, not with 'questestinterop'")
        if self._begin is not None:
            self._elements += 1
            if self._elements > ELEMENTS_LIMIT:
                self._refuse(f"belongs to a question of more than {ELEMENTS_LIMIT:,} elements")
        elif name == "assessment":
            self._title = attributes.get("title", "")
        elif name == "item":
            self._elements = 0
            self._begin = self._depth, self._parser.CurrentByteIndex, self._parser.CurrentLineNumber

    def _end(self, name: str) -> None:
        name = name.rpartition(":")[2]
        if self._begin is None:
            if name == "fieldlabel":
                self._label = self._text.strip()
            elif name == "fieldentry" and self._label == "bank_title":
                self._title = self._text
        elif self._depth == self._begin[0]:
            _depth, start, line = self._begin
            end = self._data.index(b">", self._parser.CurrentByteIndex) + 1
            self._items.append(QtiItem(self._data[start:end], " ".join(self._title.split()), line))
            self._begin = None
        self._depth -= 1

    def _characters(self, text: str) -> None:
        if self._begin is None and len(self._text) < 1_000:
            self._text += text

    def _document_type(self, *declared: Any) -> None:
        if fault := document_type_fault(*declared):
            self._refuse(fault)

    def _undefined(self, name: str, _is_parameter: bool) -> None:
        self._refuse(f"names the character &{name[:40]};, which the file does not define")
