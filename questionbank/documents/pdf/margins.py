"""What stands on pages but belongs to no question: headers, footers, page numbers, warnings in the margin."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from questionbank.documents.pdf.layout import PageLayout, Placed
from questionbank.documents.pdf.lines import PdfLine

_EDGE = 0.11  # of a page's height, where headers and footers stand
_SAME_PLACE = 8.0  # points
_WARNING = re.compile(
    r"(?:do\s+not\s+write\s+(?:outside|in|on|below|above)\b.{0,60}|write\s+nothing\s+in\s+this\s+margin"
    r"|(?:please\s+)?turn\s+over.{0,30}|blank\s+page|leave\s+(?:this\s+)?(?:blank|margin.{0,10})|for\s+examiner.?s\s+use(?:\s+only)?"
    r"|\*\s?[A-Z]?\s?\d[\dA-Z\s/]{5,40}\*|nicht\s+beschreiben.{0,40}|bitte\s+wenden|ne\s+rien\s+[ée]crire.{0,60}"
    r"|tournez\s+la\s+page.{0,20}|no\s+escriba\s+(?:en|fuera).{0,60}|请勿在.{0,20}|密\s*封\s*线.{0,30})\W*",
    re.IGNORECASE,
)
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.|página|pagina|第)?\s*[-–—]?\s*\d{1,3}\s*(?:(?:of|von|de|sur|/|\|)\s*\d{1,3}|页)?\s*[-–—]?",
    re.IGNORECASE,
)


def without_margins(pages: Sequence[PageLayout], heights: Sequence[float]) -> None:
    """Take out of each page what is repeated at its upper or lower edge, page numbers, and warnings in the margin."""
    repeated = _repeated(pages, heights)
    for number, page in enumerate(pages):
        height = heights[number]
        page.items = [
            item for item in page.items if isinstance(item, Placed) or not _is_margin(item, height, repeated)
        ]


def _is_margin(line: PdfLine, height: float, repeated: set[tuple[str, int]]) -> bool:
    text = line.text.text.strip()
    if _WARNING.fullmatch(text):
        return True
    if not _is_at_edge(line, height):
        return False
    return _PAGE_NUMBER.fullmatch(text) is not None or any(
        (_shape(text), place) in repeated for place in _places(line)
    )


def _is_at_edge(line: PdfLine, height: float) -> bool:
    return line.box.bottom < _EDGE * height or line.box.top > (1 - _EDGE) * height


def _repeated(pages: Sequence[PageLayout], heights: Sequence[float]) -> set[tuple[str, int]]:
    """Return the texts, digits aside, that stand at one place on at least two pages and a third of all."""
    found: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for number, page in enumerate(pages):
        for item in page.items:
            if isinstance(item, PdfLine) and _is_at_edge(item, heights[number]):
                for place in _places(item):
                    found[_shape(item.text.text), place].add(number)
    return {key for key, where in found.items() if len(where) > 1 and 3 * len(where) >= len(pages)}


def _places(line: PdfLine) -> tuple[int, int]:
    """Return how far down a line stands, in steps; two, so that a small difference does not part two lines."""
    place = line.box.middle / _SAME_PLACE
    return int(place), int(place + 0.5) + 10_000


def _shape(text: str) -> str:
    return re.sub(r"\d+", "0", re.sub(r"\W+", " ", text.casefold())).strip()
