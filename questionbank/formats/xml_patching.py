"""An original element with only those parts replaced that somebody has changed since it was read.

The record is written twice by our own writer: as it was read, and as it is. Elements that differ between both are put
in the place of the original's; all other bytes stay. So no table says which field stands in which element.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from questionbank.formats.xml_nodes import Node, parse, replaced

Key = Callable[[Node], str]
"""Returns what tells an element from others that may stand beside it."""


def patched(
    original: bytes, before: bytes, now: bytes, key: Key = lambda node: node.name, *, is_deep: bool = False
) -> bytes | None:
    """Return the original with the changes from `before` to `now`, all three one element.

    Args:
        is_deep: only the innermost elements that differ are replaced; None where the original has others than ours.
    """
    there, old, new = (_children(element, key) for element in (original, before, now))
    edits: list[tuple[int, int, bytes]] = []
    end = max((child.end for children in there.values() for child in children), default=original.rfind(b"</"))
    for name in {**old, **new}:
        was, are, has = old.get(name, []), new.get(name, []), there.get(name, [])
        sources = [before[child.start : child.end] for child in was]
        pieces = [now[child.start : child.end] for child in are]
        if sources == pieces:
            continue
        if is_deep and len(was) != len(has):
            return None
        if len(was) == len(are) == len(has):
            for place, child in enumerate(has):
                piece: bytes | None = pieces[place]
                inner = min(len(one.children()) for one in (child, was[place], are[place]))
                if is_deep and inner and was[place].attributes == are[place].attributes:
                    piece = patched(
                        original[child.start : child.end], sources[place], pieces[place], key, is_deep=True
                    )
                if piece is None:
                    return None
                edits += [(child.start, child.end, piece)] if sources[place] != pieces[place] else []
        elif has:
            edits.append((has[0].start, has[0].end, b"\n".join(pieces)))
            edits += [(child.start, child.end, b"") for child in has[1:]]
        elif pieces:
            edits.append((end, end, b"\n" + b"\n".join(pieces)))
    return replaced(original, edits)


def _children(element: bytes, key: Key) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = defaultdict(list)
    for child in parse(element).children():
        found[key(child)].append(child)
    return found
