"""An item with only those elements replaced that somebody has changed since it was read, however deep they stand.

The record is written twice with the identifiers of the item: as it was read, and as it is. Where both writings have the
same elements as the item, the innermost ones that differ are put in the place of the item's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from analytics.records import QuestionRecord
from questionbank.formats.canvas.reading import item_element
from questionbank.formats.canvas.writing import Names, write_item
from questionbank.formats.seam import CannotHold
from questionbank.formats.xml_nodes import Node
from questionbank.formats.xml_patching import patched

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
    if now.kind == "opaque":  # written for the sake of its text, title, points and solution
        pair, lost = (
            [replace(one, kind="open", options=(), answer="") for one in (before, now)],
            lambda _one: "",
        )
    else:
        pair = [before, now]
    try:
        was, is_now = (write_item(record, address, names, lost(record)) for record in pair)
    except CannotHold:
        return None
    if before.content.title != now.content.title:
        original = _TITLE.sub(lambda match: match[1] + _TITLE.search(is_now)[2], original, count=1)  # type: ignore[index]
    return patched(original, was, is_now, _key, is_deep=True)


def _key(child: Node) -> str:
    label = child.find("fieldlabel")
    return f"{child.name} {label.text() if label else child.get('ident') * (child.name == 'itemfeedback')}"
