"""The pages of a PDF file: glyphs, rules and areas, in points from a page's upper left corner, and pictures of areas.

PDFium reads them in a separate process that can be killed (`extraction`). The pictures are PNG as written by
`extraction`, with unfiltered rows, so that areas can be cut out of them.
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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from analytics.text.characters import tidy_characters
from questionbank.core.errors import DocumentRefused
from questionbank.core.storage import scratch_folder
from questionbank.papers.pandoc import INSTALL
from questionbank.papers.paper_lines import Area
from questionbank.papers.paragraphs import BOLD, COLOURED, DAMAGED, PROTECTED
from questionbank.papers.pdf import extraction
from questionbank.papers.pdf.extraction import png

MATH_FONT, UNKNOWN, INVISIBLE = 4, 8, 16
"""Flags written by `extraction`, besides 1 for bold and 2 for coloured."""
VARIABLE = 64
"""Flag of a letter set as a variable: from a mathematical alphabet or a font of such letters."""
_VARIABLE_FONTS = ("cmmi", "mtmi", "eufm", "msbm")
_RADICALS = "\u221a"
_EXTENSION_FONTS = ("cmex10", "cmex9", "cmex8", "cmex7", "lmmathextension10-regular", "lmex10")
_EXTENSION = {  # TeX's font cmex10, with codes that are not characters (The TeXbook, appendix F)
    **dict.fromkeys("\x00\x10\x12\x20\x30", "("), **dict.fromkeys("\x01\x11\x13\x21\x31", ")"),
    **dict.fromkeys("\x02\x14\x22\x68", "["), **dict.fromkeys("\x03\x15\x23\x69", "]"),
    **dict.fromkeys("\x08\x1a\x28\x6e", "{"), **dict.fromkeys("\x09\x1b\x29\x6f", "}"), "\x0c": "|",
    **dict.fromkeys("PX", "∑"), **dict.fromkeys("QY", "∏"), **dict.fromkeys("RZ", "∫"),
    **dict.fromkeys("S[", "∪"), **dict.fromkeys("T\\", "∩"), **dict.fromkeys("pqrst", "√"),
}  # fmt: skip
# Adobe's font Symbol as Word writes it, at U+F000 (ISO 32000-1, annex D.5)
_SYMBOL = dict(zip("abgdeqlmprstfwDSWPQLFYG", "αβγδεθλμπρστφωΔΣΩΠΘΛΦΨΓ", strict=True)) | {
    "\xa3": "≤", "\xb3": "≥", "\xb1": "±", "\xb4": "×", "\xb8": "÷", "\xb9": "≠", "\xbb": "≈", "\xb0": "°", "\xd6": "√",
    "\xa5": "∞", "\xb7": "•", "\xd0": "∠", "\x2d": "−", "\xce": "∈", "\xc7": "∩", "\xc8": "∪", "\xae": "→", "\xde": "⇒",
    "\xf2": "∫", "\xe5": "∑", "\x5e": "⊥", "\xb6": "∂",
}  # fmt: skip
_TICKS = dict(zip("\uf0a8\uf06f\uf072\uf0fe\uf0fd\uf0fc\uf0b7\uf0a7", "☐☐☐☑☒✓••", strict=True))  # in Wingdings


@dataclass(slots=True, eq=False)
class Box:
    """An area: left, top, right, bottom."""

    x0: float
    top: float
    x1: float
    bottom: float

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """The vertical position of the middle."""
        return (self.top + self.bottom) / 2

    def holds(self, x: float, y: float) -> bool:
        """Return whether a point is inside."""
        return self.x0 <= x <= self.x1 and self.top <= y <= self.bottom

    def glyphs_inside(self, glyphs: Iterable[Glyph]) -> list[Glyph]:
        """Return the glyphs whose middle is inside."""
        return [glyph for glyph in glyphs if self.holds(glyph.center, glyph.middle)]

    def touches(self, other: Box, margin: float) -> bool:
        """Return whether two areas overlap or are within a margin of each other."""
        return (
            self.x0 - margin <= other.x1
            and other.x0 - margin <= self.x1
            and self.top - margin <= other.bottom
            and other.top - margin <= self.bottom
        )


def around(boxes: Iterable[Box]) -> Box:
    """Return the bounding box of at least one area."""
    found = [*boxes]
    return Box(
        min(box.x0 for box in found),
        min(box.top for box in found),
        max(box.x1 for box in found),
        max(box.bottom for box in found),
    )


@dataclass(slots=True, eq=False)
class Glyph(Box):
    """A character, or several combined into a formula.

    Attributes:
        text: the character; for a formula, the characters it was made from.
        latex: of a formula; empty for a character.
        start, end: from its origin to the origin of the next character, excluding overhang.
        axis: vertical position of the middle line of a formula or tall symbol; None for a character on a baseline.
        blanks: number of spaces before it.
    """

    text: str = ""
    start: float = 0.0
    end: float = 0.0
    baseline: float = 0.0
    size: float = 0.0
    flags: int = 0
    latex: str = ""
    axis: float | None = None
    blanks: int = 0

    @property
    def look(self) -> int:
        """Bold and coloured, as flags of `Rich`."""
        return (BOLD if self.flags & 1 else 0) | (COLOURED if self.flags & 2 else 0)

    @property
    def is_unknown(self) -> bool:
        return bool(self.flags & UNKNOWN)

    @property
    def is_variable(self) -> bool:
        """Whether it is a letter set in mathematical type."""
        return bool(self.flags & VARIABLE) and self.text.isalpha()

    @property
    def center(self) -> float:
        return (self.start + self.end) / 2


@dataclass(slots=True)
class Page:
    """A page as read.

    Attributes:
        rules: horizontal or vertical lines.
        drawings: other drawn shapes.
        images: pictures.
        scale: pixels per point in its picture; 0 without a picture.
    """

    number: int
    width: float
    height: float
    glyphs: list[Glyph]
    rules: list[Box]
    drawings: list[Box]
    images: list[Box]
    frames: list[Box] = field(default_factory=list)
    scale: float = 0.0
    is_damaged: bool = False
    has_hidden_text: bool = False


def glyphs_of(rows: Iterable[list[Any]]) -> list[Glyph]:
    """Return the glyphs of a page from the output of `extraction`, without spaces and invisible glyphs."""
    found: list[Glyph] = []
    seen: set[tuple[str, int, int]] = set()
    blanks = 0
    for sign, x0, top, x1, bottom, start, baseline, end, size, flags, font in rows:
        if sign.isspace() or sign in "\u00ad\u200b":
            blanks += sign.isspace()
            continue
        text, flags = _character(sign, flags, font)
        key = (text, round(2 * start), round(2 * baseline))
        if key in seen and text not in ("f", "i", "l"):  # overprinted to look bold; a ligature's letters coincide
            continue
        seen.add(key)
        glyph = Glyph(x0, top, x1, bottom, text, start, max(end, x1 - 0.2 * size), baseline, size, flags)
        glyph.blanks, blanks = blanks, 0
        _set_axis(glyph, font)
        _set_script(glyph)
        if found and (start, end, baseline) == (found[-1].start, found[-1].end, found[-1].baseline):
            found[-1].text += text  # the letters of a ligature
        else:
            found.append(glyph)
    return found


def _character(sign: str, flags: int, font: str) -> tuple[str, int]:
    if font.endswith(_EXTENSION_FONTS) and sign in _EXTENSION:
        return _EXTENSION[sign], flags & ~UNKNOWN
    if sign in _TICKS:
        return _TICKS[sign], flags & ~UNKNOWN
    if "\uf020" <= sign <= "\uf0ff" and "symbol" in font:
        plain = chr(ord(sign) - 0xF000)
        return _SYMBOL.get(plain, plain), flags & ~UNKNOWN
    if "\ue000" <= sign <= "\uf8ff" or (ord(sign) < 32) or 0x80 <= ord(sign) < 0xA0:
        return "\ufffd", flags | UNKNOWN
    text = tidy_characters(sign)
    if 0x1D400 <= ord(sign) < 0x1D800 or sign == "\u210e" or any(name in font for name in _VARIABLE_FONTS):
        flags |= MATH_FONT | VARIABLE
    return text or sign, flags


def _set_axis(glyph: Glyph, font: str) -> None:
    """Set the axis of a symbol with a meaningless origin, or one much taller than its font."""
    is_large = font.endswith(_EXTENSION_FONTS) or (glyph.height > 1.45 * glyph.size and not glyph.text.isalnum())
    if is_large or glyph.text in _RADICALS:
        glyph.axis = glyph.middle


def _set_script(glyph: Glyph) -> None:
    """Mark a symbol drawn as superscript or subscript by its font, at normal size and on the common baseline."""
    if (
        not glyph.text.isascii()
        or not glyph.text.isalnum()
        or glyph.height > 0.56 * glyph.size
        or glyph.axis is not None
    ):
        return
    is_raised = glyph.baseline - glyph.bottom > 0.25 * glyph.size
    if is_raised or (glyph.bottom - glyph.baseline > 0.07 * glyph.size and glyph.text.isdigit()):
        glyph.baseline, glyph.size = glyph.bottom, 0.66 * glyph.size


def usual_size(glyphs: Iterable[Glyph]) -> float:
    """Return the median size of glyphs on a baseline; 10 if there are none."""
    sizes = [glyph.size for glyph in glyphs if glyph.axis is None]
    return median(sizes) if sizes else 10.0


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
