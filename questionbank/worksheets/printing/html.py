"""Worksheets as one self-contained HTML file: formulas as MathML, embedded pictures, and a print style sheet.

The same HTML, with different markup around it, is the input from which pandoc makes Word files (`word`).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from questionbank.formats.pictures import PictureRefused, is_picture, with_addresses
from questionbank.rendering import render_inline
from questionbank.rendering.titles import render_laid_out
from questionbank.worksheets.printing.markup import (
    POINTS_A_PIXEL,
    Element,
    check_picture,
    check_sheets,
    fitting_width,
    not_printed,
    read_markup,
    write_markup,
)
from questionbank.worksheets.sheet import (
    PaperSize,
    Sheet,
    SheetItem,
    SheetSection,
    labels_for,
    points_text,
    same_numbers_line,
    sheet_details,
)

_STYLES = Path(__file__).with_name("worksheet.css")


def worksheet_html(sheets: Sequence[Sheet]) -> bytes:
    """Return worksheets as one HTML file, each starting on a new printed page.

    Raises:
        PrintingRefused: there is nothing to print, or too much.
    """
    check_sheets(sheets)
    size = "letter" if sheets[0].paper is PaperSize.LETTER else "A4"
    styles = _STYLES.read_text(encoding="utf-8").replace("PAPER", size)
    body = "".join(_sheet(sheet) for sheet in sheets)
    return (
        f'<!doctype html>\n<html lang="{escape(sheets[0].language)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(sheets[0].title)}</title>\n<style>{styles}</style>\n</head>\n"
        f"<body>\n{body}</body>\n</html>\n"
    ).encode()


class TextWriter:
    """Writes the texts of one worksheet as HTML with embedded pictures.

    Args:
        change: applied to the tree of a text before it is written.
        room: maximum width of a picture in points; None if the reader scales pictures.
    """

    def __init__(
        self, sheet: Sheet, change: Callable[[Element], None] = lambda _element: None, *, room: float | None = None
    ) -> None:
        self._change, self._room, self._widths = change, room, sheet.picture_widths
        self._named = [
            {"name": name, "sha256": hashlib.sha256(data).hexdigest()} for name, data in sheet.pictures.items()
        ]
        self._pictures = {row["sha256"]: (row["name"], sheet.pictures[row["name"]]) for row in self._named}

    def tree(self, text: str) -> Element:
        """Return a text as a tree of blocks."""
        if not text.strip():
            return Element("")
        tree = read_markup(render_laid_out(with_addresses(text, self._named)))
        for image in tree.iterate("img"):
            self._put_in(image)
        self._change(_with_blanks(tree))
        return tree

    def blocks(self, text: str) -> str:
        """Return a text as the HTML of blocks."""
        return write_markup(self.tree(text))

    def line(self, text: str) -> str:
        """Return a text as one line of HTML."""
        tree = read_markup(render_inline(text))
        self._change(_with_blanks(tree))
        return write_markup(tree)

    def picture(self, image: Element) -> tuple[str, str, bytes]:
        """Return the name, media type and bytes of a picture in a tree."""
        name, data = self._pictures[image.attributes["data-picture"]]
        return name, check_picture(data).media_type, data

    def _put_in(self, image: Element) -> None:
        """Embed a picture's bytes in its element; a picture that cannot be shown is replaced by a note."""
        digest = image.attributes["src"].removeprefix("/pictures/")
        name, data = self._pictures[digest]
        try:
            facts = check_picture(data)
        except PictureRefused as refusal:
            said = not_printed(name, refusal, image.attributes.get("alt", ""))
            image.tag, image.attributes, image.children = "span", {"class": "note"}, [said]
            return
        image.attributes["data-picture"] = digest
        if width := fitting_width(facts, self._widths.get(name), self._room):
            image.attributes["width"] = f"{width / POINTS_A_PIXEL:.0f}"
        image.attributes["src"] = f"data:{facts.media_type};base64,{base64.b64encode(data).decode()}"


def _with_blanks(tree: Element) -> Element:
    """Turn each gap into a line to write on."""
    for span in tree.iterate("span"):
        if "answer-blank" in span.classes:
            span.children = ["_" * 8]
    return tree


def _sheet(sheet: Sheet) -> str:
    labels, texts = labels_for(sheet.language), TextWriter(sheet)
    title = escape(sheet.title) + (f" – {labels.key}" if sheet.shows_key else "")
    parts = [f"<header><h1>{title}</h1><div>{'<br>'.join(sheet_details(sheet, escape))}</div></header>\n"]
    if sheet.has_name_field and not sheet.shows_key:
        fields = "".join(f"<span>{label}</span>" for label in (labels.name, labels.group, labels.date))
        parts.append(f'<p class="names">{fields}</p>\n')
    if sheet.instructions and not sheet.shows_key:
        parts.append(f"<div><em>{texts.blocks(sheet.instructions)}</em></div>\n")
    if line := same_numbers_line(sheet):
        parts.append(f'<p class="note">{escape(line)}</p>\n')
    columns = ' class="two"' if sheet.columns == 2 else ""
    inner = "".join(_section(section, sheet, texts) for section in sheet.sections)
    head = f'<section class="sheet" lang="{escape(sheet.language)}">\n{"".join(parts)}'
    return f"{head}<div{columns}>{inner}</div>\n</section>\n"


def _section(section: SheetSection, sheet: Sheet, texts: TextWriter) -> str:
    heading = f"<h2>{texts.line(section.heading)}</h2>\n" if section.heading else ""
    if sheet.shows_key:
        return heading + "".join(_key(item, texts, sheet) for item in section.key_items)
    if section.instructions:
        heading += f'<div class="instructions">{texts.blocks(section.instructions)}</div>\n'
    total = labels_for(sheet.language).total
    return heading + "".join(_question(item, texts, total) for item in section.items)


def _key(item: SheetItem, texts: TextWriter, sheet: Sheet) -> str:
    """Return an item of the key: the answer, the worked solution and the parts."""
    labels = labels_for(sheet.language)
    body = f'<p class="note">{labels.unknown}</p>' if item.lacks_answer else texts.blocks(item.answer)
    if sheet.shows_solutions and item.solution:
        body += f"<p><strong>{labels.solution}</strong></p>{texts.blocks(item.solution)}"
    return _row(item, body + "".join(_key(part, texts, sheet) for part in item.parts))


def _row(item: SheetItem, body: str) -> str:
    points = "" if item.points_beside is None else _points(points_text(item.points_beside))
    number = f'<span class="number">{escape(item.number)}</span>'
    return f'<div class="item">{number}<div class="body">{body}</div>{points}</div>\n'


def _points(said: str, name: str = "points") -> str:
    return f'<span class="{name}">[{said}]</span>'


def _question(item: SheetItem, texts: TextWriter, total: str) -> str:
    stimulus = f'<div class="stimulus">{texts.blocks(item.stimulus)}</div>\n' if item.stimulus else ""
    body = texts.blocks(item.text)
    if item.matches:
        left, right = _options(item.options, texts, "<span>____</span>"), _options(item.matches, texts)
        body += f'<div class="matching"><div>{left}</div><div>{right}</div></div>'
    elif item.options:
        pictures = " pictures" if all(map(is_picture, (text for _, text in item.options))) else ""
        body += f'<div class="options{pictures}">{_options(item.options, texts)}</div>'
    body += "".join(_question(part, texts, total) for part in item.parts)
    if item.points_below is not None:
        body += _points(f"{total}: {points_text(item.points_below)}", "total")
    body += '<div class="line"></div>' * max(0, min(item.answer_lines, 200))
    return stimulus + _row(item, body)


def _options(options: Sequence[tuple[str, str]], texts: TextWriter, behind: str = "") -> str:
    return "".join(
        f'<div class="option"><b>{escape(label)}</b><div>{texts.blocks(text)}</div>{behind}</div>'
        for label, text in options
    )
