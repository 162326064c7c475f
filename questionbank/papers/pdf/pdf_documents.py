"""PDF files with a text layer: pages, lines in reading order, paragraphs, tables without rules, and pictures."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from questionbank.core.errors import DocumentRefused
from questionbank.papers.marks import take_mark
from questionbank.papers.paragraphs import Rich, Source, counted
from questionbank.papers.pdf.glyph_lines import Cell, PdfLine
from questionbank.papers.pdf.layout import PageLayout, Placed, layout_of
from questionbank.papers.pdf.page_paragraphs import ParagraphMaker, set_columns, set_numbers
from questionbank.papers.pdf.pages import PagePicture, around, cut_out, read_pages

_EDGE = 0.11  # of a page's height; area of headers and footers
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
    """Remove what is repeated at the upper or lower edge of pages, page numbers, and warnings in the margin."""
    repeated = _repeated(pages, heights)
    for number, page in enumerate(pages):
        height = heights[number]
        page.items = [item for item in page.items if isinstance(item, Placed) or not _is_margin(item, height, repeated)]


def _is_margin(line: PdfLine, height: float, repeated: set[tuple[str, int]]) -> bool:
    text = line.text.text.strip()
    if _WARNING.fullmatch(text):
        return True
    if not _is_at_edge(line, height):
        return False
    return _PAGE_NUMBER.fullmatch(text) is not None or any((_shape(text), place) in repeated for place in _places(line))


def _is_at_edge(line: PdfLine, height: float) -> bool:
    return line.box.bottom < _EDGE * height or line.box.top > (1 - _EDGE) * height


def _repeated(pages: Sequence[PageLayout], heights: Sequence[float]) -> set[tuple[str, int]]:
    """Return the texts, ignoring digits, that are at the same place on at least two pages and a third of all."""
    found: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for number, page in enumerate(pages):
        for item in page.items:
            if isinstance(item, PdfLine) and _is_at_edge(item, heights[number]):
                for place in _places(item):
                    found[_shape(item.text.text), place].add(number)
    return {key for key, where in found.items() if len(where) > 1 and 3 * len(where) >= len(pages)}


def _places(line: PdfLine) -> tuple[int, int]:
    """Return a vertical position in two rounded steps, so that a small difference does not separate two lines."""
    place = line.box.middle / _SAME_PLACE
    return int(place), int(place + 0.5) + 10_000


def _shape(text: str) -> str:
    return re.sub(r"\d+", "0", re.sub(r"\W+", " ", text.casefold())).strip()


Item = PdfLine | Placed
_FEWEST_ROWS = 3
_ALIGNED = 4.0  # points
_NEXT_ROW = 3.2  # font sizes; maximum between the baselines of two rows
_POINTS = re.compile(
    r"[(\[]?\s?\d{0,2}\s?(?:marks?|points?|pts?|p|punkte|分)?\s?[)\]]|/\s?\d{1,2}|[_.…\s]+", re.IGNORECASE
)


def with_tables(items: Sequence[Item]) -> list[Item]:
    """Replace rows of aligned cells with tables."""
    found: list[Item] = []
    place = 0
    while place < len(items):
        rows, end = _table(items, place)
        if len(rows) < _FEWEST_ROWS:
            found.append(items[place])
            place += 1
            continue
        lines = [item for item in items[place:end] if isinstance(item, PdfLine)]
        cells = [[[_as_line(cell, lines[0])] for cell in row] for row in rows]
        found.append(Placed(around([line.box for line in lines]), lines[0].page, lines[0].column, cells))
        place = end
    return found


def _table(items: Sequence[Item], place: int) -> tuple[list[list[Rich]], int]:
    """Return the rows of the table that begins at an item, and the table's end."""
    first = items[place]
    rows: list[list[Rich]] = []
    if not isinstance(first, PdfLine) or not _may_be_row(first):
        return rows, place
    above = first
    for end in range(place, len(items)):
        line = items[end]
        if not isinstance(line, PdfLine) or line.page != first.page or line.column != first.column or line.number:
            return rows, end
        if line is not first and not 0 < line.baseline - above.baseline < _NEXT_ROW * first.size:
            return rows, end
        columns = [_column(cell, first.cells) for cell in line.cells]
        if len(line.cells) == len(first.cells) and columns == [*range(len(columns))] and _may_be_row(line):
            rows.append([cell.text for cell in line.cells])
        elif rows and _goes_on(line, columns, above):
            for cell, column in zip(line.cells, columns, strict=True):
                rows[-1][column] = rows[-1][column] + Rich(" ", bytes(1)) + cell.text
        else:
            return rows, end
        above = line
    return rows, len(items)


def _may_be_row(line: PdfLine) -> bool:
    """Return whether a line has several cells, apart from a mark at the start or points at the end."""
    texts = [cell.text.text.strip() for cell in line.cells]
    if texts and _POINTS.fullmatch(texts[-1]):
        texts.pop()
    if len(texts) != 2:
        return len(texts) > 2
    return bool(_rest(texts[0])) and bool(take_mark(texts[1])[1].strip())


def _rest(text: str) -> str:
    """Return the text after the mark."""
    mark, rest = take_mark(text)
    return rest.strip() if mark else "" if text.isdigit() or len(text) < 2 else text


def _column(cell: Cell, columns: Sequence[Cell]) -> int:
    """Return the column that a cell is aligned with by left edge, right edge or middle; -1 if there is none."""
    for number, column in enumerate(columns):
        if any(
            abs(one - other) < _ALIGNED
            for one, other in (
                (cell.x0, column.x0),
                (cell.x1, column.x1),
                ((cell.x0 + cell.x1) / 2, (column.x0 + column.x1) / 2),
            )
        ):
            return number
    return -1


def _goes_on(line: PdfLine, columns: Sequence[int], above: PdfLine) -> bool:
    """Return whether a line continues the cells of the row above it."""
    is_near = line.baseline - above.baseline < 1.7 * line.size
    begins = any(take_mark(cell.text.text)[0] for cell in line.cells)
    return is_near and bool(columns) and min(columns) >= 0 and len({*columns}) == len(columns) and not begins


def _as_line(text: Rich, line: PdfLine) -> PdfLine:
    return PdfLine(text, line.box, line.size, line.page, line.column, line.baseline)


CHARACTERS_LIMIT = 1_000_000
_GARBAGE = 0.5  # of the characters; from here on a text is not worth reviewing
_UNREADABLE = (
    "The text of this PDF cannot be read: its fonts do not say which letters they show. Print it to a new PDF from the"
    " program that made it, or run text recognition (OCR) on it, and upload that."
)


def read_pdf(data: bytes) -> Source:
    """Return the paragraphs of a PDF file, its pictures, and the pictures of its pages.

    Raises:
        DocumentRefused: If it is damaged, protected, too long or a scan, or its fonts do not identify characters.
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
    return median(line.size for line in lines for _ in range(max(1, len(line.text.text) // 8))) if lines else 10.0


def _cut(maker: ParagraphMaker, pages: Sequence[bytes]) -> dict[str, bytes]:
    """Return the pictures of a paper by name; those on a page without a picture are lost."""
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
            r"!\[\]\(([^)]*)\)", lambda match: "[image]" if match[1] in lost else match[0], paragraph.rich.text
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
