"""An original question with only those elements replaced that somebody has changed since it was read.

The record is written twice by our own writer: as it was read, and as it is. Child elements that differ between both are
put in the place of the original's; all other bytes stay. So no table says which field stands in which element.
"""

from __future__ import annotations

import xml.parsers.expat as expat
from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Child:
    name: str
    start: int
    end: int


def patched(original: bytes, before: bytes, now: bytes) -> bytes:
    """Return the original with the changes from `before` to `now`, all three ``<question>`` elements."""
    spans = _children(original)
    ours_before, ours_now = _by_name(before), _by_name(now)
    places: dict[str, list[_Child]] = defaultdict(list)
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
    for start, stop, piece in sorted(edits, reverse=True):
        original = original[:start] + piece + original[stop:]
    return original


def _by_name(element: bytes) -> dict[str, list[bytes]]:
    found: dict[str, list[bytes]] = defaultdict(list)
    for child in _children(element):
        found[child.name].append(element[child.start : child.end])
    return found


def _children(element: bytes) -> list[_Child]:
    """Return where the child elements stand."""
    parser = expat.ParserCreate("utf-8")
    children: list[_Child] = []
    depth, start = 0, 0

    def begin(_name: str, _attributes: object) -> None:
        nonlocal depth, start
        depth += 1
        if depth == 2:
            start = parser.CurrentByteIndex

    def finish(name: str) -> None:
        nonlocal depth
        if depth == 2:
            children.append(_Child(name, start, element.index(b">", parser.CurrentByteIndex) + 1))
        depth -= 1

    parser.StartElementHandler, parser.EndElementHandler = begin, finish
    parser.Parse(element, True)
    return children
