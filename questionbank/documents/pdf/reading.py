"""PDF files with a text layer: pages, lines in reading order, paragraphs, and the pictures that are cut out of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from statistics import median

from questionbank.documents.pdf.layout import PageLayout, layout_of
from questionbank.documents.pdf.lines import PdfLine
from questionbank.documents.pdf.margins import without_margins
from questionbank.documents.pdf.pages import read_pages
from questionbank.documents.pdf.paragraphs import ParagraphMaker, set_columns, set_numbers
from questionbank.documents.pdf.pictures import PagePicture, cut_out
from questionbank.documents.pdf.unruled import with_tables
from questionbank.documents.source import Source, counted
from questionbank.errors import DocumentRefused

CHARACTERS_LIMIT = 1_000_000
_GARBAGE = 0.5  # of the signs: from here a text is not worth reviewing
_UNREADABLE = (
    "The text of this PDF cannot be read: its fonts do not say which letters they show. Print it to a new PDF from the"
    " program that made it, or run text recognition (OCR) on it, and upload that."
)


def read_pdf(data: bytes) -> Source:
    """Return the paragraphs of a PDF file, its pictures, and the pictures of its pages.

    Raises:
        DocumentRefused: it is damaged, protected, too long or a scan; or its fonts name no characters.
    """
    layouts: list[PageLayout] = []
    heights: list[float] = []
    scales: list[float] = []
    pages: list[bytes] = []
    scans: list[int] = []
    recognised: list[int] = []
    damaged: list[int] = []
    signs = unknown = 0
    for raw in read_pages(data):
        page = raw.page
        signs += len(page.glyphs)
        unknown += sum(glyph.is_unknown for glyph in page.glyphs)
        if signs > CHARACTERS_LIMIT:
            raise DocumentRefused(
                f"The PDF has more than {CHARACTERS_LIMIT:,} characters. Split it into smaller files."
            )
        layout = layout_of(page)
        if page.is_damaged:
            damaged.append(page.number + 1)
        elif not page.glyphs and page.images:
            scans.append(page.number + 1)
            layout.items = []
        elif page.has_hidden_text:
            recognised.append(page.number + 1)
            read = [item for item in layout.items if isinstance(item, PdfLine)]
            for line in read:
                line.is_uncertain = True
            layout.items = [*read]
        layouts.append(layout)
        heights.append(page.height)
        scales.append(page.scale if raw.picture else 0.0)
        pages.append(raw.picture)
    if unknown > _GARBAGE * signs:
        raise DocumentRefused(_UNREADABLE)
    without_margins(layouts, heights)
    items = [item for layout in layouts for item in layout.items]
    set_columns(items)
    items = with_tables(items)
    set_numbers(items)
    maker = ParagraphMaker(_usual([item for item in items if isinstance(item, PdfLine)]), scales)
    maker.read(items)
    pictures = _cut(maker, pages)
    notices = [*_notices(scans, recognised, damaged)]
    return Source(maker.paragraphs, pictures, notices, len(maker.pictures) - len(pictures), pages=pages)


def _usual(lines: Sequence[PdfLine]) -> float:
    return (
        median(line.size for line in lines for _ in range(max(1, len(line.text.text) // 8)))
        if lines
        else 10.0
    )


def _cut(maker: ParagraphMaker, pages: Sequence[bytes]) -> dict[str, bytes]:
    """Return the pictures of a paper by their names; those on a page without a picture are lost."""
    found = {}
    opened: tuple[int, PagePicture] | None = None
    for name, area in maker.pictures:
        if not area:
            continue
        if opened is None or opened[0] != area[0]:
            opened = (area[0], PagePicture(pages[area[0]]))
        if picture := cut_out([(opened[1], area)]):
            found[name] = picture
    lost = {name for name, _area in maker.pictures} - found.keys()
    for paragraph in maker.paragraphs if lost else ():
        text = re.sub(
            r"!\[\]\(([^)]*)\)",
            lambda match: "[image]" if match[1] in lost else match[0],
            paragraph.rich.text,
        )
        if text != paragraph.rich.text:
            paragraph.rich = type(paragraph.rich)(text, bytes(len(text)))
    return found


def _notices(scans: Sequence[int], recognised: Sequence[int], damaged: Sequence[int]) -> Iterable[str]:
    if scans:
        verb = counted(len(scans), "is a scan", "are scans")
        yield (
            f"{_numbered(scans)} {verb} without text, from which nothing was read. Type the questions of such pages, or"
            " run text recognition (OCR) on the file."
        )
    if recognised:
        yield (
            f"The text of {_numbered(recognised).lower()} comes from text recognition (OCR). Compare each question"
            " with its picture."
        )
    if damaged:
        yield f"{_numbered(damaged)} cannot be read. Print the file to a new PDF and upload that."


def _numbered(pages: Sequence[int]) -> str:
    shown = ", ".join(map(str, pages[:12])) + ("…" if len(pages) > 12 else "")
    return counted(len(pages), f"Page {shown}", f"Pages {shown}")
