"""A kept item with only those elements replaced that somebody has changed since it was read.

Both records are compared text by text. An element whose text as we read it is the old one gets the new; what is right
is declared twice, for the record as read and as it is, and declarations that differ replace the item's. Whoever calls
reads the item again: unless it is the record then, the item is written anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from analytics.question_content import as_json
from analytics.records import QuestionRecord
from questionbank.formats.item_pictures import hash_of, kept_address
from questionbank.formats.qti.around import Around
from questionbank.formats.qti.declarations import Names, correct_xml, declarations, mapping_xml
from questionbank.formats.qti.markup import block_html, flow_html
from questionbank.formats.qti.reading import Reading
from questionbank.formats.qti.texts import Texts, qti_tree
from questionbank.formats.qti.words import INTERACTIONS, KEPT, Version, in_version
from questionbank.formats.xml_nodes import Node, replaced
from questionbank.formats.xml_text import attribute_text

_TITLE = re.compile(rb"""(<[\w:.-]+\b[^>]*?\stitle\s*=\s*)("[^"]*"|'[^']*')""")
_BLOCKS = frozenset(
    "p div li td th h1 h2 h3 h4 h5 h6 blockquote prompt simpleChoice simpleAssociableChoice inlineChoice gapText"
    " hottext modalFeedback feedbackInline feedbackBlock contentBody rubricBlock pre dd dt caption".split()
)
_HOLDERS = frozenset(
    {"modalFeedback", "simpleChoice", "contentBody", "rubricBlock", "simpleAssociableChoice"}
)
_INLINE = frozenset("prompt h1 h2 h3 h4 h5 h6 p feedbackInline inlineChoice gapText hottext".split())


@dataclass(frozen=True, slots=True)
class _Slot:
    """An element that holds one text and no other such element."""

    text: str
    node: Node


def patched(
    original: bytes, before: QuestionRecord, now: QuestionRecord, around: Around, version: Version
) -> bytes:
    """Return the item with the changes from `before` to `now`, as far as they find their elements.

    Args:
        before: the record of the item as it is kept.
    """
    root = qti_tree(original)
    reading = Reading(root, hash_of, lambda _path: None, around)
    reading.read()
    address = kept_address(now, "", KEPT)
    edits = [
        *_text_edits(root, before, now, address),
        *_declaration_edits(root, reading, before, now, version),
    ]
    edits += _points_edits(root, before, now)
    data = replaced(original, edits)
    if before.content.title != now.content.title and now.content.title:
        title = f'"{attribute_text(now.content.title)}"'.encode()
        data = _TITLE.sub(lambda match: match[1] + title, data, count=1)
    return data


# -- texts ---------------------------------------------------------------------------------------------------------


def _text_edits(
    root: Node, before: QuestionRecord, now: QuestionRecord, address: Callable[[str], str]
) -> Iterator[tuple[int, int, bytes]]:
    changes = dict(_changes(before, now))
    slots = [*_slots(root)] if changes else []
    for old, new in changes.items():
        found = [slot for slot in slots if slot.text == old]
        if len(found) == 1:
            node = found[0].node
            html = flow_html(new, address) if node.name in _INLINE else _like(node, new, address)
            yield node.inner, node.inner_end, html.encode()


def _like(node: Node, text: str, address: Callable[[str], str]) -> str:
    """Return a text in paragraphs where the element has some."""
    has_blocks = any(child.name in ("p", "div", "ul", "ol", "table") for child in node.children())
    return (
        block_html(text, address) if has_blocks or node.name == "modalFeedback" else flow_html(text, address)
    )


def _changes(before: QuestionRecord, now: QuestionRecord) -> Iterator[tuple[str, str]]:
    """Yield old and new of the texts that differ; paragraphs of longer texts by themselves."""
    for old, new in _pairs(as_json(before), as_json(now)):
        yield old, new
        parts, others = re.split(r"\n+", old), re.split(r"\n+", new)
        if 1 < len(parts) == len(others):
            yield from ((part, other) for part, other in zip(parts, others, strict=True) if part != other)


def _pairs(old: object, new: object) -> Iterator[tuple[str, str]]:
    if isinstance(old, str) and isinstance(new, str):
        if old != new and old:
            yield old, new
    elif isinstance(old, dict) and isinstance(new, dict):
        for name in old.keys() & new.keys() - {"label", "id", "source", "original", "kind", "language"}:
            yield from _pairs(old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield from _pairs(one, other)


def _slots(root: Node) -> Iterator[_Slot]:
    """Yield the elements with one text; one that stands in another comes first."""
    for node in root.iter(*_BLOCKS):
        if any(child.name in INTERACTIONS or child.name == "gap" for child in node.iter()):
            continue
        inner = [child for child in node.iter() if child.name in _BLOCKS]
        if inner and node.name not in _HOLDERS:
            continue
        text = _text_of(node)
        if text and (not inner or text not in [_text_of(child) for child in inner]):
            yield _Slot(text, node)


def _text_of(node: Node) -> str:
    return Texts(hash_of, lambda _path: None).text(node, "text")


# -- what is right -------------------------------------------------------------------------------------------------


def _declaration_edits(
    root: Node, reading: Reading, before: QuestionRecord, now: QuestionRecord, version: Version
) -> Iterator[tuple[int, int, bytes]]:
    asked = [
        node.get("responseIdentifier") for node in root.iter(*INTERACTIONS) if node.get("responseIdentifier")
    ]
    names = Names(asked, reading.interactions.choices)
    declared = [[*declarations(record, names)] for record in (before, now)]
    if len(declared[0]) != len(declared[1]):
        return
    nodes = {node.get("identifier"): node for node in root.children("responseDeclaration")}
    points = now.content.points if now.content.points is not None else 1.0
    for old, new in zip(*declared, strict=True):
        node = nodes.get(new.response)
        if old == new or node is None:
            continue
        for name, write in (("correctResponse", correct_xml), ("mapping", lambda d: mapping_xml(d, points))):
            was, xml = write(old), in_version(write(new), version).encode()
            there = node.find(name)
            if write(new) == was:
                continue
            if there is not None:
                yield there.start, there.end, xml
            elif node.inner_end != node.inner or node.end != node.inner:
                yield node.inner_end, node.inner_end, xml


def _points_edits(
    root: Node, before: QuestionRecord, now: QuestionRecord
) -> Iterator[tuple[int, int, bytes]]:
    if before.content.points == now.content.points or now.content.points is None:
        return
    for node in root.children("outcomeDeclaration"):
        value = node.find("defaultValue", "value") if node.get("identifier") == "MAXSCORE" else None
        if value is not None:
            yield value.inner, value.inner_end, f"{now.content.points!r}".encode()
