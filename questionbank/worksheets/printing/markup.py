"""A page's HTML as a tree, for the well-formed output of `questionbank.rendering.titles`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser

_VOID = frozenset({"br", "img"})


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
