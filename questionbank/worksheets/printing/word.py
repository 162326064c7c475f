"""Worksheets as a Word file with editable equations.

pandoc turns the MathML of our pages into Word's equations. Its input is HTML in which each paragraph names its style;
`word_package` then adds the styles, the page and the columns. Numbers and labels are plain text, so the key's match.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from questionbank.core.errors import DocumentRefused, PrintingRefused
from questionbank.formats.pictures import is_picture
from questionbank.papers.pandoc import pandoc_path, run_pandoc
from questionbank.worksheets.printing.html import TextWriter
from questionbank.worksheets.printing.markup import POINTS_A_PIXEL, Element, check_sheets, read_markup, write_markup
from questionbank.worksheets.printing.word_package import (
    HEAD_END,
    INDENT,
    SHEET_END,
    TAB,
    dress,
    text_width,
    with_word_formulas,
)
from questionbank.worksheets.sheet import (
    Labels,
    Sheet,
    SheetItem,
    SheetSection,
    labels_for,
    option_label,
    points_text,
    same_numbers_line,
    sheet_details,
)

_LONGEST_LINE = 60  # total characters of the options on one line
_LABEL = 30.0  # space in points beside a picture option
_BLOCKS = frozenset({"table", "div", "ul", "ol", "pre", "img", "details"})


def worksheet_docx(sheets: Sequence[Sheet]) -> bytes:
    """Return worksheets as one Word file, each starting on a new page.

    Raises:
        PrintingRefused: there is nothing to print, too much, or pandoc is not installed.
    """
    check_sheets(sheets)
    if not pandoc_path():
        raise PrintingRefused(
            "Word files need pandoc. Install it with: pip install 'kindred[documents]'. HTML works without it."
        )
    html = "".join(_sheet(sheet, is_last=place == len(sheets) - 1) for place, sheet in enumerate(sheets))
    try:
        package = run_pandoc(html.encode(), "html", "docx", "-o", "-")
    except DocumentRefused as refusal:
        raise PrintingRefused(
            "Making the Word file takes too long or too much memory. Print fewer questions or versions at a time."
        ) from refusal
    return dress(package, sheets)


def _sheet(sheet: Sheet, *, is_last: bool) -> str:
    writer = _SheetWriter(sheet)
    return (
        writer.head()
        + "".join(map(writer.section, sheet.sections))
        + ("" if is_last else _styled(SHEET_END, "<p>&nbsp;</p>"))
    )


def _styled(style: str, html: str) -> str:
    return f'<div custom-style="{style}">{html}</div>\n' if html else ""


class _SheetWriter:
    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._labels: Labels = labels_for(sheet.language)
        self._room = (text_width(sheet) - INDENT) / 20
        self._texts = TextWriter(sheet, with_word_formulas, room=self._room)

    def head(self) -> str:
        sheet, labels = self._sheet, self._labels
        title = escape(sheet.title) + (f" – {labels.key}" if sheet.shows_key else "")
        details = TAB.join(sheet_details(sheet, escape))
        parts = [f"<h1>{title}</h1>\n", _styled("Worksheet Line", f"<p>{details}</p>" if details else "")]
        if sheet.has_name_field and not sheet.shows_key:
            fields = f"{labels.name} {'_' * 32}  {labels.group} {'_' * 10}  {labels.date} {'_' * 12}"
            parts.append(_styled("Worksheet Line", f"<p>{fields}</p>"))
        if not sheet.shows_key:
            parts.append(_styled("Instructions", self._texts.blocks(sheet.instructions)))
        if line := same_numbers_line(sheet):
            parts.append(_styled("Worksheet Line", f"<p>{escape(line)}</p>"))
        return "".join(parts) + _styled(HEAD_END, "<p>&nbsp;</p>")

    def section(self, section: SheetSection) -> str:
        parts = [f"<h2>{self._texts.line(section.heading)}</h2>\n"] if section.heading else []
        if self._sheet.shows_key:
            return "".join([*parts, *(self._key(item, 1) for item in section.key_items)])
        parts.append(_styled("Instructions", self._texts.blocks(section.instructions)))
        return "".join([*parts, *(self._question(item, 1) for item in section.items)])

    def _question(self, item: SheetItem, level: int) -> str:
        points = ""
        if item.points_beside is not None:
            points = f"{TAB}({self._points(item.points_beside)})"
        parts = [
            _styled("Shared Text", self._texts.blocks(item.stimulus)),
            self._labelled(_numbered(item.number), item.text, f"Question {level}", points),
        ]
        if item.matches:
            parts += [self._labelled(option_label(label), f"{text} ____", "Option") for label, text in item.options]
            parts += [self._labelled(option_label(label), text, "Option") for label, text in item.matches]
        else:
            parts.append(self._options(item.options))
        parts += [self._question(part, 2) for part in item.parts]
        if item.points_below is not None:
            said = f"{self._labels.total}: {self._points(item.points_below)}"
            parts.append(_styled("Points Below", f"<p>({said})</p>"))
        parts += [_styled("Answer Line", "<p>&nbsp;</p>")] * max(0, min(item.answer_lines, 200))
        return "".join(parts)

    def _points(self, points: float) -> str:
        said = points_text(points)
        return self._labels.point if said == "1" else self._labels.points.format(points=said)

    def _picture_options(self, options: Sequence[tuple[str, str]]) -> str:
        """Return picture options in a row, or two side by side; empty for other options."""
        images = [_picture_alone(self._texts.tree(text)) for _, text in options if is_picture(text)]
        pictures = [image for image in images if image is not None]
        if len(options) < 2 or len(pictures) < len(options):
            return ""
        widest = max(int(image.attributes["width"]) for image in pictures) * POINTS_A_PIXEL
        columns, style = (4, "Pictures in a Row") if widest <= self._share(4) else (2, "Pictures in Pairs")
        entries = []
        for (label, _), image in zip(options, pictures, strict=True):
            most = int(self._share(columns) / POINTS_A_PIXEL)
            image.attributes["width"] = str(min(int(image.attributes["width"]), most))
            entries.append(f"{escape(option_label(label))} {write_markup(image)}")
        rows = (entries[start : start + columns] for start in range(0, len(entries), columns))
        return "".join(_styled(style, f"<p>{TAB.join(row)}</p>") for row in rows)

    def _share(self, columns: int) -> float:
        """Return the width in points of a picture in one of some columns."""
        return self._room / columns - _LABEL

    def _options(self, options: Sequence[tuple[str, str]]) -> str:
        if pictures := self._picture_options(options):
            return pictures
        lines = [self._texts.line(text) for _, text in options]
        is_short = sum(len(read_markup(line).text()) + 4 for line in lines) <= _LONGEST_LINE
        if options and is_short and not any("\n" in text or "![" in text or "$$" in text for _, text in options):
            entries = (f"{escape(option_label(label))} {line}" for (label, _), line in zip(options, lines, strict=True))
            return _styled("Options in a Line", f"<p>{TAB.join(entries)}</p>")
        return "".join(self._labelled(option_label(label), text, "Option") for label, text in options)

    def _key(self, item: SheetItem, level: int) -> str:
        answer = f"*{self._labels.unknown}*" if item.lacks_answer else item.answer
        parts = [self._labelled(_numbered(item.number), answer, f"Question {level}")]
        if self._sheet.shows_solutions and item.solution:
            parts.append(self._labelled("", f"**{self._labels.solution}**\n\n{item.solution}", f"Question {level}"))
        return "".join([*parts, *(self._key(part, 2) for part in item.parts)])

    def _labelled(self, label: str, text: str, style: str, behind: str = "") -> str:
        """Return a text with its label before the first paragraph and `behind` after the last one."""
        blocks = list(_with_parts(self._texts.tree(text)))
        first = blocks.pop(0) if blocks and blocks[0].tag == "p" else Element("p")
        worded = [block for block in blocks if block.tag == "p" and block.text().strip()]
        last = worded[-1] if worded else first
        opener = next(iter(first.children), "")
        is_pictured = bool(label) and isinstance(opener, Element) and opener.tag == "img"
        if label:
            first.children.insert(0, f"{label}{TAB}")
        if behind:
            last.children.insert(_end_of_words(last), behind)
        opening = ""
        if first.children:
            begins = "Picture" if is_pictured else "" if label else "Text"
            opening = _styled(f"{style} {begins}".strip(), write_markup(first))
        return opening + _styled(f"{style} Text", "".join(map(write_markup, blocks)))


def _picture_alone(tree: Element) -> Element | None:
    """Return the picture if it is the only one of a text and can be shown, otherwise None."""
    found = [*tree.iterate("img")]
    return found[0] if len(found) == 1 and "width" in found[0].attributes else None


def _end_of_words(paragraph: Element) -> int:
    """Return the index after the last child that is neither a picture nor a line break."""
    children = paragraph.children
    return next(
        (
            place
            for place in range(len(children), 0, -1)
            if (child := children[place - 1])
            and (child.strip() if isinstance(child, str) else child.tag not in {"img", "br"})
        ),
        len(children),
    )


def _numbered(number: str) -> str:
    return f"{number}." if number[-1:].isalnum() else number


def _with_parts(element: Element) -> Iterator[Element]:
    """Yield the blocks of a text; parts in lists become paragraphs that begin with their labels."""
    for child in element.children:
        if isinstance(child, str):
            if child.strip():
                yield Element("p", {}, [child])
        elif "parts" in child.classes:
            for item in child.elements:
                label, body = item.elements
                inner = list(_with_parts(body)) or [Element("p")]
                if inner[0].tag != "p":
                    inner.insert(0, Element("p"))
                inner[0].children.insert(0, f"{label.text()} ")
                yield from inner
        elif child.tag in _BLOCKS or child.tag == "p":
            yield child
        else:
            yield Element("p", {}, [child])
