"""An original question with only those elements replaced that somebody has changed since it was read.

The record is written twice by our own writer: as it was read, and as it is. Child elements that differ between both are
put in the place of the original's; all other bytes stay. So no table says which field stands in which element.
"""

from __future__ import annotations

from collections import defaultdict

from questionbank.formats.xml_nodes import Node, parse, replaced


def patched(original: bytes, before: bytes, now: bytes) -> bytes:
    """Return the original with the changes from `before` to `now`, all three ``<question>`` elements."""
    spans = parse(original).children()
    ours_before, ours_now = _by_name(before), _by_name(now)
    places: dict[str, list[Node]] = defaultdict(list)
    for child in spans:
        places[child.name].append(child)
    edits: list[tuple[int, int, bytes]] = []
    end = spans[-1].end if spans else original.rfind(b"</")
    for name in {**ours_before, **ours_now}:
        old, new, there = ours_before.get(name, []), ours_now.get(name, []), places.get(name, [])
        if old == new:
            continue
        if len(old) == len(new) == len(there):
            edits += [
                (child.start, child.end, after)
                for child, was, after in zip(there, old, new, strict=True)
                if was != after
            ]
        elif there:
            edits.append((there[0].start, there[0].end, b"\n".join(new)))
            edits += [(child.start, child.end, b"") for child in there[1:]]
        elif new:
            edits.append((end, end, b"\n" + b"\n".join(new)))
    return replaced(original, edits)


def _by_name(element: bytes) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = defaultdict(list)
    for child in parse(element).children():
        found[child.name].append(element[child.start : child.end])
    return found
