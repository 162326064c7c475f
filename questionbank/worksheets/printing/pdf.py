"""Worksheets as a PDF file that passes the PDF/UA-1 check, typeset by Typst in a separate process.

The template is ours and fixed, a worksheet is passed as data (text runs, formulas and pictures, but no code), and the
compiler can read a single folder: no part of a question is executed, and there is neither network nor package access.
Equal worksheets give identical bytes.

Texts are rendered as for a page (`questionbank.rendering.titles`) and parsed from that HTML, so that paper and page
agree. Each distinct formula and picture is stored once in a list and referenced by its index: whatever cannot be
typeset is replaced by its source without touching the rest.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import logging
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

from questionbank.core.errors import PrintingRefused
from questionbank.core.storage import scratch_folder
from questionbank.formats.pictures import SUFFIXES, PictureRefused, with_addresses
from questionbank.rendering import render_inline
from questionbank.rendering.titles import render_laid_out
from questionbank.worksheets.printing.formula import draw_formula
from questionbank.worksheets.printing.markup import (
    ANSWER_LINE,
    Element,
    Sizes,
    check_picture,
    check_sheets,
    formula_width,
    not_printed,
    read_markup,
    shown_size,
    text_width,
)
from questionbank.worksheets.printing.speech import formula_in_words
from questionbank.worksheets.sheet import (
    PaperSize,
    Sheet,
    SheetItem,
    SheetSection,
    labels_for,
    points_text,
    same_numbers_line,
)

Node = str | list[object]
"""A text, or a list of a name and its arguments."""

_MOST_PIXELS = 60_000_000  # of all pictures in a file, because each is decoded
_LONG_FORMULA = 8.0  # em from which a formula may be too wide for its place, and is measured
_LONG_WORDS = 16  # characters of text in a formula from which a line may break within it
_STYLES = frozenset({"strong", "em", "u", "s", "sub", "sup"})
_PAGE = {PaperSize.A4: (43.5, 66.0), PaperSize.LETTER: (45.0, 61.0)}  # width and height of a page of text, in em
_GUTTER, _NUMBER, _POINTS = 2.3, 1.9, 2.4
_WHOLE = 0.45  # share of a page up to which a question is kept on one page
_SEPARATORS = frozenset(",;，；")
_ADDRESS = "/pictures/"


@dataclass(slots=True)
class Content:
    """The content of a file of worksheets: data, formulas and pictures, in the order of their first occurrence."""

    formulas: list[dict[str, object]] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)  # by file name
    widths: list[float] = field(default_factory=list)  # of the formulas, in em
    _formula_places: dict[tuple[str, bool], int] = field(default_factory=dict)
    _refusals: dict[str, str] = field(default_factory=dict)
    _pixels: int = 0

    def data(self, sheets: Sequence[Sheet]) -> dict[str, object]:
        """Return the worksheets as JSON-serializable data."""
        return {
            "title": " / ".join(dict.fromkeys(sheet.title for sheet in sheets)),
            "sheets": [self._sheet(sheet) for sheet in sheets],
            "formulas": self.formulas,
        }

    # -- worksheets ------------------------------------------------------------------------------------------------

    def _sheet(self, sheet: Sheet) -> dict[str, object]:
        reader = _Reader(self, sheet)
        language = re.match(r"[a-z]{2,3}(?![a-z])", sheet.language.lower())
        return {
            "title": sheet.title,
            "version": sheet.version,
            "columns": 2 if sheet.columns == 2 else 1,
            "paper": sheet.paper.value,
            "total": points_text(sheet.total_points),
            "named": sheet.has_name_field,
            "key": sheet.shows_key,
            "same_numbers": same_numbers_line(sheet),
            "solved": sheet.shows_key and sheet.shows_solutions,
            "language": language[0] if language else "en",
            "labels": labels_for(sheet.language).data(),
            "instructions": reader.blocks(sheet.instructions),
            "sections": [reader.section(section) for section in sheet.sections],
        }

    # -- formulas and pictures -------------------------------------------------------------------------------------

    def formula(self, math: Element, *, display: bool, behind: str = "") -> int:
        """Return the index of a formula joined with the text directly after it; equal formulas share an index."""
        source = (math.attributes.get("data-latex") or math.text()) + behind
        drawing = draw_formula(math)
        if behind:
            drawing = ["row", *(drawing[1:] if drawing[0] == "row" else [drawing]), ["text", behind, ""]]
        key = (repr(drawing), display)
        if key not in self._formula_places:
            self._formula_places[key] = len(self.formulas)
            width = formula_width(math) + 0.5 * len(behind)
            self.widths.append(width)
            self.formulas.append(
                {
                    "drawing": drawing,
                    "words": formula_in_words(math) + behind,
                    "source": source,
                    "display": display,
                    "long": width > _LONG_FORMULA,
                }
            )
        return self._formula_places[key]

    def picture(self, name: str, data: bytes, alternative: str, width: float | None) -> Node:
        """Return a picture, or why it is not printed; its width is in points, if its source specifies one."""
        digest = hashlib.sha256(data).hexdigest()
        try:
            if digest in self._refusals:
                raise PictureRefused(self._refusals[digest])
            facts = check_picture(data)
            file = f"{digest}{SUFFIXES[facts.media_type]}"
            if file not in self.pictures:
                self._pixels += facts.width * facts.height
                if self._pixels > _MOST_PIXELS:
                    raise PictureRefused(f"takes this file's pictures beyond {_MOST_PIXELS:,} pixels")
        except PictureRefused as refusal:
            self._refusals[digest] = str(refusal)
            return ["placeholder", not_printed(name, refusal, alternative)]
        self.pictures[file] = data
        return ["picture", file, alternative or name, *shown_size(facts, width)]


class _Reader:
    """Converts the texts of one worksheet."""

    def __init__(self, content: Content, sheet: Sheet) -> None:
        self._content = content
        self._is_key, self._is_solved = sheet.shows_key, sheet.shows_key and sheet.shows_solutions
        self._labels, self._picture_widths = labels_for(sheet.language), sheet.picture_widths
        self._sizes = Sizes(content.widths)
        width, self._height = _PAGE[sheet.paper]
        self._width = (width - _GUTTER) / 2 if sheet.columns == 2 else width
        self._named = [
            {"name": name, "sha256": hashlib.sha256(data).hexdigest()} for name, data in sheet.pictures.items()
        ]
        self._pictures: Mapping[str, tuple[str, bytes]] = {
            row["sha256"]: (row["name"], sheet.pictures[row["name"]]) for row in self._named
        }

    def section(self, section: SheetSection) -> dict[str, object]:
        """Return a section; a key section with only short answers is set in columns."""
        items = section.key_items if self._is_key else section.items
        key = self.labelled([(item.number, item.answer or "—") for item in items])
        is_brief = self._is_key and not any(
            item.parts or (self._is_solved and item.solution) or "\n\n" in item.answer for item in items
        )
        return {
            "heading": self.line(section.heading),
            "instructions": self.blocks(section.instructions),
            "items": [self.item(item, self._width) for item in items],
            "key": key if is_brief else [],
            "columns": _columns(key, self._width, most=4) if is_brief else 0,
        }

    def item(self, item: SheetItem, width: float) -> dict[str, object]:
        room = width - _NUMBER - (0 if item.points_beside is None else _POINTS)
        text, options, matches = (self.blocks(item.text), self.labelled(item.options), self.labelled(item.matches))
        parts = [self.item(part, room) for part in item.parts]
        below = points_text(item.points_below)
        lines = max(0, min(item.answer_lines, 200))
        columns = _columns(options, room)
        height = self._sizes.height(text, room) + ANSWER_LINE * lines
        for entries, share in ((options, columns), (matches, 2)):
            height += sum(self._sizes.height(entry["text"], room / share) for entry in entries) / share
        height += sum(part["height"] for part in parts)
        return {
            "number": item.number,
            "text": text,
            "options": options,
            "columns": columns,
            "matches": matches,
            "parts": parts,
            "points": points_text(item.points_beside),
            "total": f"{self._labels.total}: {below}" if below else "",
            "lines": lines,
            "answer": self.blocks(item.answer),
            "solution": self.blocks(item.solution),
            "stimulus": self.blocks(item.stimulus),
            "height": height,
            "whole": height < _WHOLE * self._height,
        }

    def labelled(self, entries: Sequence[tuple[str, str]]) -> list[dict[str, object]]:
        """Return options or similar labelled texts, each with its width and that of its label."""
        read = [(label, self.blocks(text)) for label, text in entries]
        return [
            {
                "label": label,
                "text": text,
                "indent": max(1.6, text_width(label) * 1.3 + 0.8),
                "width": self._sizes.width(text),
            }
            for label, text in read
        ]

    def blocks(self, text: str) -> list[Node]:
        """Return a text as blocks."""
        if not text.strip():
            return []
        html = render_laid_out(with_addresses(text, self._named))
        return list(self._blocks(read_markup(html)))

    def line(self, text: str) -> list[Node]:
        """Return a text as one line."""
        return list(self._inline(read_markup(render_inline(text))))

    def _blocks(self, element: Element) -> Iterator[Node]:
        for child in element.children:
            if isinstance(child, str):
                if child.strip():
                    yield ["p", child]
            else:
                yield from self._block(child)

    def _block(self, element: Element) -> Iterator[Node]:
        classes = element.classes
        if element.tag == "p":
            yield ["p", *self._inline(element)]
        elif "formula-display" in classes:
            yield from self._displayed(element)
        elif element.tag == "table":
            yield ["table", [[self._cell(cell) for cell in row.iterate("td")] for row in element.iterate("tr")]]
        elif "parts" in classes:
            yield ["parts", [self._part(item) for item in element.elements]]
        elif element.tag in {"ul", "ol"}:
            yield ["list", element.tag == "ol", [list(self._inline(item)) for item in element.iterate("li")]]
        elif element.tag == "pre":
            yield ["source", element.text()]
        elif "image-placeholder" in classes and element.tag == "div":
            yield ["note", list(self._blocks(element))]
        elif element.tag == "summary":
            yield ["p", ["em", element.text()]]
        elif element.tag in {"div", "details"}:
            yield from self._blocks(element)
        else:
            yield ["p", *self._inline_element(element)]

    def _displayed(self, element: Element) -> Iterator[Node]:
        for child in element.elements:
            if child.tag == "math":
                yield ["display", self._content.formula(child, display=True)]
            else:
                yield ["p", *self._inline_element(child)]

    def _cell(self, cell: Element) -> dict[str, object]:
        span = cell.attributes.get("colspan", "1")
        return {"span": int(span) if span.isdecimal() else 1, "text": list(self._inline(cell))}

    def _part(self, item: Element) -> list[object]:
        label, body = item.elements
        return [label.text(), list(self._blocks(body))]

    def _inline(self, element: Element) -> Iterator[Node]:
        for child in element.children:
            if isinstance(child, str):
                yield child
            else:
                yield from self._inline_element(child)

    def _inline_element(self, element: Element) -> Iterator[Node]:
        classes = element.classes
        if element.tag == "math":
            yield from self._formula(element)
        elif element.tag in _STYLES:
            yield [element.tag, *self._inline(element)]
        elif element.tag == "code":
            yield ["source" if "formula-source" in classes else "code", element.text()]
        elif element.tag == "br":
            yield ["br"]
        elif element.tag == "img":
            yield self._picture(element)
        elif "answer-blank" in classes:
            yield ["blank"]
        elif "image-placeholder" in classes:
            yield ["placeholder", *self._inline(element)]
        elif "nowrap" in classes:
            math, behind = element.children
            assert isinstance(math, Element) and isinstance(behind, str)  # noqa: S101, PT018 - so pages write it
            yield from self._formula(math, behind)
        else:
            yield from self._inline(element)

    def _picture(self, element: Element) -> Node:
        name, data = self._pictures[element.attributes["src"].removeprefix(_ADDRESS)]
        width = self._picture_widths.get(name)
        return self._content.picture(name, data, element.attributes.get("alt", ""), width)

    def _formula(self, math: Element, behind: str = "") -> Iterator[Node]:
        """Yield an inline formula; a long one is split so that a line can break after commas and within its text.

        `behind` is what must stay on the same line as the formula's end, such as a full stop.
        """
        if formula_width(math) <= _LONG_FORMULA:
            yield ["math", self._content.formula(math, display=False, behind=behind)]
            return
        pieces: list[Element | str] = [_piece()]
        for child in _top_level(math):
            words = child.text() if child.tag == "mtext" else ""
            if len(words) > _LONG_WORDS:
                pieces += [words.replace("\u00a0", " "), _piece()]
                continue
            pieces[-1].children.append(child)
            if child.tag == "mo" and child.text() in _SEPARATORS:
                pieces += [" ", _piece()]
        if len(pieces) == 1:
            pieces = [math]
        for place, piece in enumerate(pieces):
            last = behind if place == len(pieces) - 1 else ""
            if isinstance(piece, str):
                yield piece
            elif piece.children or last:
                yield ["math", self._content.formula(piece, display=False, behind=last)]


def _piece() -> Element:
    return Element("math", {}, [])


def _top_level(element: Element) -> Iterator[Element]:
    """Yield the elements of a formula's row; rows that only group are flattened."""
    for child in element.elements:
        is_group = child.tag == "mrow" and not child.attributes
        if is_group and not any(inner.tag == "mo" and "fence" in inner.attributes for inner in child.elements):
            yield from _top_level(child)
        else:
            yield child


def _columns(entries: Sequence[dict[str, object]], room: float, most: int = 5) -> int:
    """Return the number of columns for labelled texts: all on one line, otherwise four, two or one.

    Pictures are set in at least two columns, and shrink if necessary.
    """
    count = len(entries)
    widest = max((entry["indent"] + entry["width"] for entry in entries), default=0.0)
    for columns in (count if count <= most else 4, 4 if count > most else 2, 2):
        if columns > 1 and widest <= (room - columns + 1) / columns:
            return columns
    return 2 if count > 1 and all(map(_is_picture, entries)) else 1


def _is_picture(entry: dict[str, object]) -> bool:
    """Return whether a labelled text consists of a picture only."""
    match entry["text"]:
        case [["p", ["picture", *_]]]:
            return True
    return False


# -- typesetting -------------------------------------------------------------------------------------------------------


logger = logging.getLogger(__name__)

SECONDS = 90
_HERE = Path(__file__).parent
_TEMPLATES = ("worksheet.typ", "formula.typ")


def worksheet_pdf(sheets: Sequence[Sheet]) -> bytes:
    """Return worksheets as one PDF file, each starting on a new page, with pages counted from 1.

    A formula that cannot be typeset is replaced by its source, and a character missing from all fonts by its number.

    Raises:
        PrintingRefused: there is nothing to print, too much, or Typst is not installed.
    """
    check_sheets(sheets)
    if importlib.util.find_spec("typst") is None:
        raise PrintingRefused("PDF files need the package typst. Install it with: pip install 'kindred[documents]'")
    content = Content()
    data = content.data(sheets)
    with scratch_folder(prefix="print-") as folder:
        for name in _TEMPLATES:
            shutil.copyfile(_HERE / name, folder / name)
        for name, picture in content.pictures.items():
            (folder / name).write_bytes(picture)
        (folder / "content.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        _typeset(folder)
        return (folder / "worksheet.pdf").read_bytes()


def _typeset(folder: Path) -> None:
    command = [sys.executable, "-I", str(_HERE / "typesetting.py"), str(folder), settings.FONT_FOLDER]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, timeout=SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        raise PrintingRefused(
            f"Setting this worksheet takes longer than {SECONDS} seconds. Print fewer questions at a time."
        ) from None
    if done.returncode or not (folder / "worksheet.pdf").exists():
        logger.error("Typst failed: %s", done.stderr.decode("utf-8", "replace")[-2_000:])
        raise PrintingRefused("Typesetting failed. Print fewer questions at a time, or without pictures.")
    notes = json.loads(done.stdout)
    if notes["refused"] or notes["missing"]:
        logger.warning("Printed as source or number: %d formulas, %s", len(notes["refused"]), notes["missing"])
