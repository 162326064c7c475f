"""Where a question stands on the pages of its document."""

from __future__ import annotations

from collections.abc import Iterable

from questionbank.documents.paper import Area, Line


def page_name(number: int) -> str:
    """Return the name by which a paper's pictures hold that of a page, counted from 0; no text can name it."""
    return f"(page {number + 1})"


def areas_of(lines: Iterable[Line]) -> tuple[Area, ...]:
    """Return the areas that lines cover, one for each column of a page, in the order of the lines.

    >>> areas_of([Line("a", area=(0, 10, 20, 90, 30)), Line("b", area=(0, 12, 35, 90, 50))])
    ((0, 10, 20, 90, 50),)
    """
    found: list[list[int]] = []
    for line in lines:
        if not line.area:
            continue
        page, left, top, right, bottom = line.area
        same = next((area for area in found if area[0] == page and area[1] < right and left < area[3]), None)
        if same is None:
            found.append([page, left, top, right, bottom])
        else:
            same[1:] = [min(same[1], left), min(same[2], top), max(same[3], right), max(same[4], bottom)]
    return tuple(map(tuple, found))
