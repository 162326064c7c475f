"""Pictures of pages, and areas cut out of them: PNG as written by `extraction`, with unfiltered rows."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

from questionbank.papers.paper_lines import Area
from questionbank.papers.pdf.extraction import png

_MOST_ROWS = 12_000  # pixels in a question's picture


class PagePicture:
    """The pixels of a page.

    Args:
        data: a PNG picture written by `extraction.png`.
    """

    def __init__(self, data: bytes) -> None:
        self.width, self.height, _depth, colours = struct.unpack(">IIBB", data[16:26])
        self.channels = 1 if colours == 0 else 3
        (length,) = struct.unpack(">I", data[33:37])
        self._rows = zlib.decompress(data[41 : 41 + length])

    def row(self, y: int, left: int, right: int) -> bytes:
        """Return the pixels of a row between two columns."""
        start = y * (self.width * self.channels + 1) + 1
        return self._rows[start + left * self.channels : start + right * self.channels]


def cut_out(areas: Sequence[tuple[PagePicture, Area]]) -> bytes:
    """Return areas of pages as one picture, stacked vertically; empty if the areas are empty."""
    strips: list[tuple[PagePicture, int, int, int, int]] = []
    for page, (_number, left, top, right, bottom) in areas:
        right, bottom = min(right, page.width), min(bottom, page.height)
        if right - left > 1 and bottom - top > 1:
            strips.append((page, left, top, right, bottom))
    if not strips:
        return b""
    width = max(right - left for _page, left, _top, right, _bottom in strips)
    channels = max(page.channels for page, *_rest in strips)
    rows: list[bytes] = []
    for page, left, top, right, bottom in strips:
        for y in range(top, bottom):
            row = page.row(y, left, right)
            if channels > page.channels:
                row = bytes(value for value in row for _ in range(3))
            rows.append(row.ljust(width * channels, b"\xff"))
        if len(rows) > _MOST_ROWS:
            break
    rows = rows[:_MOST_ROWS]
    return png(width, len(rows), b"".join(rows), channels)
