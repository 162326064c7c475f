"""Pages of a PDF file, read by PDFium in a separate process that can be killed (`extraction`), and their pictures.

The pictures are PNG as written by `extraction`, with unfiltered rows, so that areas can be cut out of them.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import struct
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questionbank.core.errors import DocumentRefused
from questionbank.core.storage import scratch_folder
from questionbank.papers.pandoc import INSTALL
from questionbank.papers.paper_lines import Area
from questionbank.papers.paragraphs import DAMAGED, PROTECTED
from questionbank.papers.pdf import extraction
from questionbank.papers.pdf.extraction import png
from questionbank.papers.pdf.glyphs import INVISIBLE, Box, Page, glyphs_of

logger = logging.getLogger(__name__)

SECONDS_LIMIT = 300
CHECK_SECONDS = 60
MOST_DEATHS = 8
_NO_TEXT = (
    "This PDF holds no text: it is a scan, or its letters are drawings. Run text recognition (OCR) on it, for example"
    " by opening it in Word (File > Open), compare the text, save it as .docx and upload that."
)
_SLOW = "Reading the PDF takes too long. Split it into smaller files, or try again when the server is less busy."


@dataclass(frozen=True, slots=True)
class RawPage:
    """A page, and its picture as PNG; the picture may be empty."""

    page: Page
    picture: bytes


def check_pdf(data: bytes) -> None:
    """Check that a PDF file contains text and can be read in bounded time.

    Raises:
        DocumentRefused: If it is damaged, protected, too long, or a scan; the message explains what to do instead.
    """
    if importlib.util.find_spec("pypdfium2") is None:
        raise DocumentRefused(f"PDF files are read by PDFium, which is not installed. To read them, {INSTALL}.")
    with scratch_folder(prefix="pdf-") as folder:
        path = folder / "document.pdf"
        path.write_bytes(data)
        said = _said(_run(["check", str(path)], folder, CHECK_SECONDS))
    _refuse_error(said)
    if said["pages"] > extraction.PAGES_LIMIT:
        raise DocumentRefused(
            f"The PDF has {said['pages']:,} pages, more than {extraction.PAGES_LIMIT:,}. Split it into smaller files."
        )
    if not said["with_text"]:
        raise DocumentRefused(_NO_TEXT)


def _refuse_error(said: dict[str, Any]) -> None:
    if said.get("error") == "password":
        raise DocumentRefused(PROTECTED)
    if "error" in said or not said.get("pages"):
        raise DocumentRefused(DAMAGED)


def read_pages(data: bytes) -> Iterator[RawPage]:
    """Yield the pages of a PDF file with their pictures.

    If PDFium crashes on a page or runs out of memory, the page is read again without its picture, and returned as
    damaged if that fails too.

    Raises:
        DocumentRefused: As for `check_pdf`, or if it takes too long.
    """
    check_pdf(data)
    until = time.monotonic() + SECONDS_LIMIT
    with scratch_folder(prefix="pdf-") as folder:
        path = folder / "document.pdf"
        path.write_bytes(data)
        first, without_picture, deaths = 0, -1, 0
        while True:
            command = ["pages", str(path), str(folder), str(first), str(without_picture)]
            done = _run(command, folder, until - time.monotonic())
            while (folder / f"page-{first}.json").exists():
                yield _raw_page(folder, first)
                first += 1
                if time.monotonic() > until:  # includes the time that the caller spends on a page
                    raise DocumentRefused(_SLOW)
            if done.returncode == 0:
                _refuse_error(_said(done))
                return
            deaths += 1
            logger.warning("PDFium died on page %d: %s", first + 1, done.stderr.decode("utf-8", "replace")[-500:])
            if deaths > MOST_DEATHS:
                raise DocumentRefused(DAMAGED)
            if without_picture == first:
                yield RawPage(_page(first, {"size": [1, 1], "glyphs": [], "objects": [], "is_damaged": True}), b"")
                first += 1
            without_picture = first


def _run(arguments: list[str], folder: Path, seconds: float) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-I", str(Path(extraction.__file__)), *arguments]
    try:
        return subprocess.run(
            command, cwd=folder, capture_output=True, timeout=max(1.0, seconds), check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired as error:
        raise DocumentRefused(_SLOW) from error


def _said(done: subprocess.CompletedProcess[bytes]) -> dict[str, Any]:
    if done.returncode:
        logger.warning("PDFium cannot read a file: %s", done.stderr.decode("utf-8", "replace")[-500:])
        return {"error": "damaged"}
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def _raw_page(folder: Path, number: int) -> RawPage:
    path, picture = folder / f"page-{number}.json", folder / f"page-{number}.png"
    read = json.loads(path.read_text(encoding="utf-8"))
    data = picture.read_bytes() if picture.exists() else b""
    path.unlink()
    picture.unlink(missing_ok=True)
    return RawPage(_page(number, read), data)


def _page(number: int, read: dict[str, Any]) -> Page:
    width, height = read["size"]
    boxes: dict[str, list[Box]] = {"rule": [], "shape": [], "image": [], "box": []}
    for kind, x0, top, x1, bottom in read["objects"]:
        x0, x1 = max(x0, -5.0), min(x1, width + 5)
        top, bottom = max(top, -5.0), min(bottom, height + 5)
        if x0 <= x1 and top <= bottom:
            boxes[kind].append(Box(x0, top, x1, bottom))
    page = Page(
        number,
        width,
        height,
        glyphs_of(read["glyphs"]),
        boxes["rule"],
        boxes["shape"],
        boxes["image"],
        boxes["box"],
        read.get("scale", 0.0),
        read.get("is_damaged", False),
    )
    hidden = sum(bool(glyph.flags & INVISIBLE) for glyph in page.glyphs)
    page.has_hidden_text = 2 * hidden > len(page.glyphs)
    return page


# -- pictures of pages -------------------------------------------------------------------------------------------------


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
