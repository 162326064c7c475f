"""An item with only those elements replaced that somebody has changed since it was read, however deep they stand.

The record is written twice with the identifiers of the item: as it was read, and as it is. Where both writings have the
same elements as the item, the innermost ones that differ are put in the place of the item's.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from analytics.records import QuestionRecord
from questionbank.formats.canvas.reading import item_element
from questionbank.formats.canvas.writing import Names, write_item
from questionbank.formats.seam import CannotHold
from questionbank.formats.xml_nodes import Node, parse, replaced

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
            is_same_tag = was[place].attributes == is_now[place].attributes
            if is_same_tag and min(len(one.children()) for one in (child, was[place], is_now[place])):
                piece = _patched(original[child.start : child.end], sources[place], pieces[place])
                if piece is None:
                    return None
            edits.append((child.start, child.end, piece or b""))
    return replaced(original, edits)


def _children(element: bytes) -> dict[str, list[Node]]:
    """Return the elements right below, by what tells each from others that may stand beside it."""
    by_key: dict[str, list[Node]] = {}
    for child in parse(element).children():
        label = child.find("fieldlabel")
        key = f"{child.name} {label.text() if label else child.get('ident') * (child.name == 'itemfeedback')}"
        by_key.setdefault(key, []).append(child)
    return by_key
