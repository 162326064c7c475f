"""An item with only those elements replaced that somebody has changed since it was read, however deep they stand.

The record is written twice with the identifiers of the item: as it was read, and as it is. Where both writings have the
same elements as the item, the innermost ones that differ are put in the place of the item's.
"""

from __future__ import annotations

import re
import xml.parsers.expat as expat
from collections.abc import Callable
from dataclasses import dataclass, field

from analytics.records import QuestionRecord
from questionbank.formats.canvas.reading import item_element
from questionbank.formats.canvas.writing import Names, write_item
from questionbank.formats.seam import CannotHold

_TITLE = re.compile(rb"""(<[\w:.-]*item\b[^>]*?)(\stitle=(?:"[^"]*"|'[^']*'))""")
Lost = Callable[[QuestionRecord], str]
"""Returns what an item of a record lacks, as JSON."""


def patched_item(
    original: bytes, before: QuestionRecord, now: QuestionRecord, address: Callable[[str], str], lost: Lost
) -> bytes | None:
    """Return the item with the changes from `before` to `now`; None where it is built otherwise than ours.

    Args:
        address: where a picture is, by its name.
        lost: what Canvas has no place for.
    """
    element = item_element(original)
    names = Names(
        [part.get("ident", "") for part in element.iter() if part.tag in ("response_lid", "response_str")],
        list(
            dict.fromkeys(
                part.get("ident", "")
                for response in element.iter("response_lid")
                for part in response.iter("response_label")
            )
        ),
    )
    try:
        written = [write_item(record, address, names, lost(record)) for record in (before, now)]
    except CannotHold:
        return None
    if before.content.title != now.content.title:
        original = _TITLE.sub(lambda match: match[1] + _TITLE.search(written[1])[2], original, count=1)  # type: ignore[index]
    return _patched(original, *written)


@dataclass
class _Child:
    """An element within another; `key` tells it from others that may stand beside it."""

    key: str
    start: int
    end: int = 0
    tag: bytes = b""
    inner: int = field(default=0, compare=False)  # elements in it


def _patched(original: bytes, before: bytes, now: bytes) -> bytes | None:
    there, old, new = _children(original), _children(before), _children(now)
    edits: list[tuple[int, int, bytes]] = []
    end = original.rfind(b"</")
    for key in dict.fromkeys([*old, *new]):
        was, is_now, has = old.get(key, []), new.get(key, []), there.get(key, [])
        sources = [before[child.start : child.end] for child in was]
        pieces = [now[child.start : child.end] for child in is_now]
        if sources == pieces:
            continue
        if len(was) != len(has):
            return None
        if len(was) != len(is_now):
            if not has:
                edits.append((end, end, b"\n".join(pieces)))
            else:
                edits.append((has[0].start, has[0].end, b"\n".join(pieces)))
                edits += [(child.start, child.end, b"") for child in has[1:]]
            continue
        for place, child in enumerate(has):
            if sources[place] == pieces[place]:
                continue
            piece: bytes | None = pieces[place]
            if was[place].tag == is_now[place].tag and min(
                child.inner, was[place].inner, is_now[place].inner
            ):
                piece = _patched(original[child.start : child.end], sources[place], pieces[place])
                if piece is None:
                    return None
            edits.append((child.start, child.end, piece or b""))
    for start, stop, piece in sorted(edits, reverse=True):
        original = original[:start] + piece + original[stop:]
    return original


def _children(element: bytes) -> dict[str, list[_Child]]:
    parser = expat.ParserCreate("utf-8")
    children: list[_Child] = []
    depth, label, text = 0, "", ""

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, label, text
        depth, text = depth + 1, ""
        if depth == 2:
            start = parser.CurrentByteIndex
            key = name.rpartition(":")[2]
            if key == "itemfeedback":
                key += f" {attributes.get('ident', '')}"
            children.append(_Child(key, start, tag=element[start : element.index(b">", start)].rstrip(b"/")))
        elif depth > 2:
            children[-1].inner += 1

    def finish(name: str) -> None:
        nonlocal depth, label
        if name.endswith("fieldlabel"):
            label = text.strip()
        if depth == 2:
            child = children[-1]
            child.end = element.index(b">", parser.CurrentByteIndex) + 1
            if child.key == "qtimetadatafield":
                child.key += f" {label}"
        depth -= 1

    def characters(found: str) -> None:
        nonlocal text
        text += found

    parser.StartElementHandler, parser.EndElementHandler = begin, finish
    parser.CharacterDataHandler = characters
    parser.Parse(element, True)
    by_key: dict[str, list[_Child]] = {}
    for child in children:
        by_key.setdefault(child.key, []).append(child)
    return by_key
