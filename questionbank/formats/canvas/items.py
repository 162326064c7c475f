"""The items of one file of QTI 1.2, each as its own bytes, with the title of the quiz or bank that they stand in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from questionbank.formats.written_numbers import finite_number
from questionbank.formats.xml_nodes import BadXml, Node, as_utf8, parse

_LARGEST = 1_000_000  # elements around the items


@dataclass(frozen=True, slots=True)
class QtiItem:
    """An ``<item>`` element.

    Attributes:
        title: of the assessment or bank around it.
        line: of its file.
        points: that the group around it gives for each of its items.
    """

    data: bytes
    title: str
    line: int
    points: float | None = None


def qti_items(data: bytes) -> list[QtiItem]:
    """Return the items of a file in their order, wherever they stand.

    Raises:
        BadXml: it is no QTI 1.2, or goes beyond a limit.
    """
    data = as_utf8(data)
    root = parse(data, kept_whole=("item",), elements_limit=_LARGEST)
    if root.name != "questestinterop":
        raise BadXml(f"line 1 begins with the element {root.name[:40]!r}, not with 'questestinterop'")
    items, title = [], ""
    for node, points in _nodes(root):
        if node.name == "assessment":
            title = node.get("title")
        elif node.name == "qtimetadatafield":
            label, entry = node.find("fieldlabel"), node.find("fieldentry")
            title = entry.text() if label and entry and label.text() == "bank_title" else title
        elif node.name == "item":
            items.append(QtiItem(data[node.start : node.end], " ".join(title.split()), node.line, points))
    return items


def _nodes(node: Node, points: float | None = None) -> Iterator[tuple[Node, float | None]]:
    stated = node.find("selection_ordering", "selection", "selection_extension", "points_per_item")
    points = finite_number(stated.text()) if stated else points
    yield node, points
    for child in node.children():
        yield from _nodes(child, points)
