"""A page's HTML as a tree, and how large its texts and pictures are on paper.

Widths and heights are in em of the text. They are slightly overestimated; where they are still too small, lines wrap
and formulas shrink (`worksheet.typ`).
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

from questionbank.core.errors import PrintingRefused
from questionbank.formats.pictures import PictureFacts, PictureRefused, read_picture
from questionbank.worksheets.sheet import Sheet, SheetItem

_VOID = frozenset({"br", "img"})
_LETTER, _WIDE_LETTER, _SIGN = 0.52, 1.0, 1.05
_LINE, _DISPLAY, _ROW, _GAP = 1.5, 3.8, 2.6, 0.9
_PIXEL = 0.75 / 11  # em, for a picture at its natural size
_TALLEST_PICTURE = 22.0
POINTS_A_PIXEL = 0.75
TALLEST = 241.0  # maximum height of a picture in points (85 mm)
ANSWER_LINE = 2.2
_SCRIPT = 0.75
_BLANK = 4.2
_LEAVES = frozenset({"mi", "mn", "mo", "mtext"})
_STACKED = frozenset({"mfrac", "mover", "munder", "munderover"})
_UNLIMITED = 10_000.0
MOST_QUESTIONS = 2_000  # in all worksheets of a file
MOST_CHARACTERS = 4_000_000
_LONGEST_SIDE = 20_000  # pixels of a picture


@dataclass(slots=True)
class Element:
    """An element with its attributes; its children are elements and strings."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> frozenset[str]:
        return frozenset(self.attributes.get("class", "").split())

    @property
    def elements(self) -> list[Element]:
        return [child for child in self.children if isinstance(child, Element)]

    def text(self) -> str:
        """Return all text inside it."""
        return "".join(child if isinstance(child, str) else child.text() for child in self.children)

    def iterate(self, tag: str) -> Iterator[Element]:
        """Yield the elements with this tag in document order; elements nested in one of them are skipped."""
        for child in self.elements:
            if child.tag == tag:
                yield child
            else:
                yield from child.iterate(tag)


def read_markup(html: str) -> Element:
    """Parse HTML into an element without a tag."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Element("")
        self._open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self._open[-1].children.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID and len(self._open) > 1:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)


def write_markup(node: Element | str) -> str:
    """Serialize a node as HTML; of an element without a tag, only the children are written."""
    if isinstance(node, str):
        return escape(node, quote=False)
    inner = "".join(map(write_markup, node.children))
    if not node.tag:
        return inner
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in node.attributes.items())
    return f"<{node.tag}{attributes}>" + ("" if node.tag in _VOID else f"{inner}</{node.tag}>")


def text_width(text: str) -> float:
    """Return the width of a text on one line, in em."""
    return sum(_WIDE_LETTER if unicodedata.east_asian_width(letter) in "WF" else _LETTER for letter in text)


def formula_width(element: Element) -> float:
    """Return the width of a formula on one line, in em."""
    tag, children = element.tag, element.elements
    if tag in _LEAVES:
        text = element.text()
        is_sign = tag == "mo" and "fence" not in element.attributes and element.attributes.get("form") is None
        return _SIGN if is_sign and len(text) == 1 else text_width(text)
    if tag == "mspace":
        return 0.3
    if tag in _STACKED:
        scale = 0.8 if tag == "mfrac" else 1.0
        return scale * max((formula_width(child) for child in children), default=0.0) + 0.2
    if tag in {"msub", "msup", "msubsup"} and children:
        base, *scripts = children
        return formula_width(base) + _SCRIPT * max(map(formula_width, scripts), default=0.0)
    if tag == "mtable":
        rows = [[formula_width(cell) + 1.0 for cell in row.elements] for row in children]
        columns = max(map(len, rows), default=0)
        return sum(max((row[place] for row in rows if place < len(row)), default=0.0) for place in range(columns))
    inner = sum(map(formula_width, children))
    return inner + 0.9 if tag in {"msqrt", "mroot", "menclose"} else inner


def shown_size(facts: PictureFacts, width: float | None) -> tuple[float, float]:
    """Return the width and height of a picture in pixels of 0.75 points, before scaling to fit.

    Args:
        width: in points, as printed in its source; None for the natural size.
    """
    if not width or not facts.width:
        return facts.width, facts.height
    wide = width / POINTS_A_PIXEL
    return wide, facts.height * wide / facts.width


def fitting_width(facts: PictureFacts, width: float | None, room: float | None) -> float:
    """Return the printed width of a picture in points, no higher than `TALLEST`; 0 if it has no size."""
    if not facts.width or not facts.height:
        return 0.0
    wide, high = shown_size(facts, width)
    return min(wide * POINTS_A_PIXEL, TALLEST * wide / high, room or math.inf)


class Sizes:
    """Sizes of the nodes of a worksheet, given the widths of its formulas."""

    def __init__(self, widths: Sequence[float]) -> None:
        self._widths = widths

    def width(self, blocks: Sequence[object]) -> float:
        """Return the width of blocks set without line breaks, in em."""
        return max((self._block_width(block) for block in blocks), default=0.0)

    def height(self, blocks: Sequence[object], room: float) -> float:
        """Return the height of blocks within a width of `room` em, in em."""
        return sum((self._block_height(block, room) for block in blocks), start=0.0)

    def _block_width(self, block: list[object]) -> float:
        name, *rest = block
        if name == "p":
            return self._line_width(rest)
        if name == "display":
            return self._widths[rest[0]]
        return _UNLIMITED

    def _line_width(self, nodes: Sequence[object]) -> float:
        return sum(map(self._node_width, nodes))

    def _node_width(self, node: object) -> float:
        if isinstance(node, str):
            return text_width(node)
        name, *rest = node
        if name == "math":
            return self._widths[rest[0]]
        if name == "picture":
            return max(rest[2] * _PIXEL, 1.0)
        if name in {"source", "code"}:
            return 1.1 * text_width(rest[0])
        if name == "br":
            return _UNLIMITED
        return _BLANK if name == "blank" else self._line_width(rest)

    def _block_height(self, block: list[object], room: float) -> float:
        name, *rest = block
        if name == "p":
            return self._line_height(rest, room)
        if name == "display":
            return _DISPLAY * math.ceil(self._widths[rest[0]] / room) + _GAP
        if name == "table":
            rows: list[list[dict[str, list[object]]]] = rest[0]
            share = room / max(1, *map(len, rows)) if rows else room
            return _GAP + sum(
                max((_ROW - _LINE + self._line_height(cell["text"], share) for cell in row), default=_ROW)
                for row in rows
            )
        if name == "list":
            return sum(self._line_height(item, room - 2) for item in rest[1])
        if name == "parts":
            return sum(self.height(part, room - 2) for _, part in rest[0])
        if name == "source":
            return sum(_LINE * math.ceil(max(len(line), 1) * 0.6 / room) for line in str(rest[0]).split("\n"))
        return _GAP + self.height(rest[0], room - 1)

    def _line_height(self, nodes: Sequence[object], room: float) -> float:
        pictures = [node for node in nodes if isinstance(node, list) and node[0] == "picture"]
        others = [node for node in nodes if node not in pictures]
        breaks = sum(1 for node in others if node == ["br"])
        words = sum(self._node_width(node) for node in others if node != ["br"])
        tall = sum(_picture_height(picture, room) for picture in pictures)
        return _LINE * (math.ceil(words / max(room, 1.0)) + breaks) + tall + 0.3


def _picture_height(picture: Sequence[float], room: float) -> float:
    *_, width, height = picture
    wide = min(width * _PIXEL, room, _TALLEST_PICTURE * width / height)
    return wide * height / width + 0.5


# -- limits ------------------------------------------------------------------------------------------------------------


def check_sheets(sheets: Sequence[Sheet]) -> None:
    """Check that there is something to print, but not too much.

    Raises:
        PrintingRefused: there is no question, or there are too many.
    """
    items = [item for sheet in sheets for section in sheet.sections for item in section.items]
    if not items:
        raise PrintingRefused("There is no question to print. Add questions to the worksheet first.")
    if len(items) > MOST_QUESTIONS:
        raise PrintingRefused(
            f"These are {len(items):,} questions; {MOST_QUESTIONS:,} can be printed at a time. Print fewer versions."
        )
    if sum(map(_characters, items)) > MOST_CHARACTERS:
        raise PrintingRefused("The texts are too long to print at a time. Print fewer questions.")


def _characters(item: SheetItem) -> int:
    texts = (item.text, item.answer, item.solution, item.stimulus)
    entries = (text for _, text in (*item.options, *item.matches))
    return sum(map(len, (*texts, *entries))) + sum(map(_characters, item.parts))


def check_picture(data: bytes) -> PictureFacts:
    """Return the facts about a picture from its first bytes; nothing is decoded.

    Raises:
        PictureRefused: it is not a printable picture.
    """
    facts = read_picture(data)
    if max(facts.width, facts.height) > _LONGEST_SIDE:
        raise PictureRefused(f"has {facts.width:,} by {facts.height:,} pixels")
    return facts


def not_printed(name: str, refusal: PictureRefused, alternative: str) -> str:
    """Return the replacement for a picture: why it is missing, and what it shows."""
    return f"[Not printed: the picture {name} {refusal}.]" + (f" {alternative}" if alternative else "")
