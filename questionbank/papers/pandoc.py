"""Read documents with pandoc, a separate GPL program (the extra ``documents``), and convert its blocks to paragraphs.

It runs as a child process without access to files and network (``--sandbox``), with memory and time limits; the
document is passed on standard input and its blocks are returned as JSON.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from questionbank.core.errors import DocumentRefused
from questionbank.papers.marks import GAP
from questionbank.papers.paragraphs import (
    BOLD,
    COLOURED,
    ITALIC,
    TOO_DEEP,
    UNDERLINED,
    Paragraph,
    Rich,
    array_latex,
    is_colour,
)
from questionbank.papers.tables import Cell, table_paragraphs

INSTALL = 'install the extra "documents" (pip install "kindred[documents]") and restart Kindred'
SECONDS_LIMIT = 60
MEMORY = "512M"
OUTPUT_LIMIT = 200 * 1024 * 1024  # bytes of JSON
_HEAP_IS_FULL = 251  # exit status of a Haskell program at its memory limit


@cache
def pandoc_path() -> str:
    """Return the path of pandoc; empty if the extra is not installed."""
    try:
        import pypandoc  # imported here because the extra is optional

        return str(pypandoc.get_pandoc_path())
    except (ImportError, OSError):
        return ""


def run_pandoc(data: bytes, source: str, target: str, *options: str) -> bytes:
    """Convert a document to another format.

    Args:
        data: the document.
        source: pandoc's name for its format.
        target: pandoc's name for the new format.
        options: further options of pandoc.

    Raises:
        DocumentRefused: If pandoc is not installed, or the document is damaged, too large or takes too long.
    """
    path = pandoc_path()
    if not path:
        raise DocumentRefused(
            f"Documents other than plain text are read by pandoc, which is not installed. To read them, {INSTALL}."
            " Or copy the text of the document and paste it."
        )
    command = [path, "--sandbox", "-f", source, "-t", target, *options, "+RTS", f"-M{MEMORY}", "-RTS"]
    try:
        finished = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS_LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise DocumentRefused(
            f"Reading the document took longer than {SECONDS_LIMIT} seconds. Split it into smaller documents."
        ) from error
    if finished.returncode == _HEAP_IS_FULL or len(finished.stdout) > OUTPUT_LIMIT:
        raise DocumentRefused("The document needs too much memory to read. Split it into smaller documents.")
    if finished.returncode:
        raise DocumentRefused(
            "The document is damaged, or is not what its name says. Open it in its own program and save it again."
        )
    return finished.stdout


def document_blocks(data: bytes, source: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a document's metadata and blocks, as in pandoc's JSON.

    Raises:
        DocumentRefused: As for `run_pandoc`.
    """
    try:
        document = json.loads(run_pandoc(data, source, "json"))
    except RecursionError as error:
        raise DocumentRefused(TOO_DEEP) from error
    return document["meta"], document["blocks"]


# -- blocks to paragraphs ----------------------------------------------------------------------------------------------


Block = Mapping[str, Any]
PictureName = Callable[[str], str]
"""Maps a picture's address in the document to our name for it; empty if the picture cannot be stored."""

NUMBER_BEGINS, NUMBER_ENDS = "\ue000", "\ue001"
"""Enclose the automatic number that `questionbank.papers.word_text` writes into a paragraph: level, bar, number."""
COLOUR_BEGINS, COLOUR_ENDS = "\ue002", "\ue003"
"""Enclose coloured text, which pandoc does not report."""
BOXED = "\ue00b"
"""Begins a paragraph in a text box."""
SOFT_BREAK = "\ue005"
"""End of a line in the source, treated as a space unless a mark follows."""
_LOOKS = {"Strong": BOLD, "Underline": UNDERLINED, "Emph": ITALIC, "SmallCaps": 0, "Strikeout": 0}
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_ROMAN = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
_DELIMITERS = {"OneParen": "{})", "TwoParens": "({})"}
_DEEPEST = 100
_BLANK_AT_END = re.compile(r"(?<!\\)(?:\\ )*\\$")
_CSS_COLOUR = re.compile(r"(?:^|[;\s])(?:color|background|background-color)\s*:\s*([^;]+)|^(?=\w)([a-z]+)$")
_LENGTH = re.compile(r"(\d{1,5}(?:\.\d{1,15})?)\s*(in|cm|mm|pt|px)?")
_UNITS = {"in": 72.0, "cm": 72 / 2.54, "mm": 72 / 25.4, "pt": 1.0, "px": 0.75}
_COLOUR_NAMES = frozenset(
    "red green blue yellow orange purple magenta cyan lime crimson darkgreen darkred darkblue".split()
)


class BlockReader:
    """Reader for the blocks of one document.

    Args:
        picture_name: returns our name for a picture.
    """

    def __init__(self, picture_name: PictureName) -> None:
        self._picture_name = picture_name
        self.lost_pictures = 0
        self.picture_widths: dict[str, float] = {}  # in points, by our names, for pictures that specify a width

    def paragraphs(self, blocks: Iterable[Block], *, level: int = 0, depth: int = 0) -> list[Paragraph]:
        """Return the paragraphs of the blocks, in order.

        Raises:
            DocumentRefused: If the blocks are nested too deeply.
        """
        found: list[Paragraph] = []
        if depth > _DEEPEST:
            raise DocumentRefused(TOO_DEEP)
        for block in blocks:
            content: Any = block.get("c")
            match block["t"]:
                case "Para" | "Plain":
                    found.append(self._paragraph(content, level))
                case "Header":
                    paragraph = self._paragraph(content[2], level)
                    paragraph.heading = min(content[0], 6)
                    found.append(paragraph)
                case "OrderedList":
                    (start, style, delimiter), items = content
                    for place, item in enumerate(items, start=start):
                        number = list_number(place, style["t"], delimiter["t"])
                        found += self._item(item, number, level + 1, depth + 1)
                case "BulletList":
                    for item in content:
                        found += self._item(item, "•", level + 1, depth + 1)
                case "DefinitionList":
                    for term, definitions in content:
                        found.append(self._paragraph(term, level))
                        for definition in definitions:
                            found += self.paragraphs(definition, level=level, depth=depth + 1)
                case "BlockQuote":
                    found += self.paragraphs(content, level=level, depth=depth + 1)
                case "Div":
                    found += self.paragraphs(content[1], level=level, depth=depth + 1)
                case "Figure":
                    found += self.paragraphs(content[2], level=level, depth=depth + 1)
                    found += self.paragraphs(content[1][1], level=level, depth=depth + 1)
                case "LineBlock":
                    found += [self._paragraph(line, level) for line in content]
                case "CodeBlock":
                    found += [Paragraph.of(line) for line in content[1].splitlines()]
                case "Table":
                    found += table_paragraphs(self._rows(content, depth + 1), found)
        return [part for part in found if part.rich.text.strip(" " + GAP) or part.number]

    def _item(self, blocks: list[Block], number: str, level: int, depth: int) -> list[Paragraph]:
        found = self.paragraphs(blocks, level=level, depth=depth)
        if found and not found[0].number and found[0].level == level:
            found[0].number = number
        else:
            found.insert(0, Paragraph(number=number, level=level))
        return found

    def _paragraph(self, inlines: Iterable[Block], level: int) -> Paragraph:
        rich = Rich()
        self._add(rich, inlines, 0)
        number = ""
        if rich.text.startswith(NUMBER_BEGINS):
            end = rich.text.index(NUMBER_ENDS)
            stated, _, number = rich.text[1:end].partition("|")
            level = int(stated)
            rich = rich[end + 1 :]
        is_boxed = BOXED in rich.text
        if is_boxed:
            place = rich.text.index(BOXED)
            rich = rich[:place] + rich[place + 1 :]
        return Paragraph(_coloured(rich).with_prices(), number, level, is_boxed=is_boxed)

    def _rows(self, content: Any, depth: int) -> list[list[Cell]]:
        """Return the cells of a table, row by row; a cell that spans others is followed by empty ones."""
        _attributes, caption, _columns, head, bodies, foot = content
        rows = [*head[1]]
        for body in bodies:
            rows += [*body[2], *body[3]]
        table: list[list[Cell]] = []
        spans: dict[int, int] = {}  # column -> number of rows that a cell above still covers
        for _row_attributes, cells in [*rows, *foot[1]]:
            row: list[Cell] = []
            for _cell_attributes, _alignment, down, across, blocks in cells:
                while spans.get(len(row), 0) > 0:
                    spans[len(row)] -= 1
                    row.append([])
                begin = len(row)
                row.append(self.paragraphs(blocks, depth=depth))
                row += [[] for _ in range(across - 1)]
                spans |= {column: down - 1 for column in range(begin, len(row)) if down > 1}
            table.append(row)
        above = self.paragraphs(caption[1], depth=depth)
        return [[above], *table] if above else table

    # -- inlines --------------------------------------------------------------------------------------------------

    def _add(self, rich: Rich, inlines: Iterable[Block], look: int) -> None:
        inlines = list(inlines)
        for inline in inlines:
            kind: str = inline["t"]
            content: Any = inline.get("c")
            match kind:
                case "Str":
                    rich.add_typed(content, look)
                case "Space":
                    rich.add(" ", look)
                case "SoftBreak":
                    rich.add(SOFT_BREAK, look)
                case "LineBreak":
                    rich.add("\n", look)
                case "Math":
                    is_alone = content[0]["t"] == "DisplayMath" and len(inlines) == 1
                    # a matrix's rows are not lines of the paper, and a space at its end, "\ ", is not part of it
                    if formula := array_latex(_BLANK_AT_END.sub("", " ".join(content[1].split()))):
                        if rich.text.endswith("$"):
                            rich.add(" ", look)
                        rich.add(f"$${formula}$$" if is_alone else f"${formula}$", look)
                case "Superscript" | "Subscript":
                    inner = Rich()
                    self._add(inner, content, look)
                    rich.add_script("sup" if kind == "Superscript" else "sub", inner.text, look)
                case "Quoted":
                    opening, closing = "“”" if content[0]["t"] == "DoubleQuote" else "‘’"
                    rich.add(opening, look)
                    self._add(rich, content[1], look)
                    rich.add(closing, look)
                case "Code":
                    rich.add_typed(content[1], look)
                case "Image":
                    self._add_picture(rich, content, look)
                case "Span" | "Link" | "Cite":
                    self._add(rich, content[1], look | (COLOURED if kind == "Span" and _stands_out(content[0]) else 0))
                case "Note":
                    note = " ".join(part.rich.text for part in self.paragraphs(content))
                    rich.add(f" ({note})", look)
                case "RawInline":
                    if content[0] in ("tex", "latex"):
                        rich.add_typed(content[1], look)
                case _ if kind in _LOOKS:
                    self._add(rich, content, look | _LOOKS[kind])

    def _add_picture(self, rich: Rich, content: Any, look: int) -> None:
        inner = Rich()
        self._add(inner, content[1], 0)
        described = " ".join(inner.text.replace("[", "(").replace("]", ")").split())
        name = self._picture_name(content[2][0])
        if name:
            if width := _points(dict(content[0][2]).get("width", "")):
                self.picture_widths[name] = width
            rich.add(f"![{described}]({name})", look)
        else:
            self.lost_pictures += 1
            rich.add(f"[image] ({described})" if described else "[image]", look)


def _points(length: str) -> float:
    """Return a CSS length in points; 0 if it is invalid or relative to the page.

    >>> _points("2.5in"), _points("96"), _points("50%")
    (180.0, 72.0, 0.0)
    """
    match = _LENGTH.fullmatch(length.strip())
    return round(float(match[1]) * _UNITS[match[2] or "px"], 1) if match else 0.0


def _stands_out(attributes: Any) -> bool:
    """Return whether an HTML or LaTeX span is highlighted or coloured."""
    _identifier, classes, values = attributes
    style = " ".join(value for name, value in values if name in ("style", "color"))
    return "mark" in classes or any(is_css_colour(match[1] or match[2]) for match in _CSS_COLOUR.finditer(style))


def is_css_colour(value: str) -> bool:
    """Return whether a CSS colour is anything but black, grey or white.

    >>> is_css_colour("#f00"), is_css_colour("green"), is_css_colour("rgb(0, 0, 0)")
    (True, True, False)
    """
    value = value.strip().lower()
    if re.fullmatch("#[0-9a-f]{3}", value):
        value = "#" + "".join(2 * sign for sign in value[1:])
    if match := re.match(r"rgba?\((\d+)[, ]+(\d+)[, ]+(\d+)", value):
        value = "#" + "".join(f"{min(int(channel), 255):02x}" for channel in match.groups())
    return is_colour(value) if value.startswith("#") else value in _COLOUR_NAMES


def list_number(place: int, style: str, delimiter: str) -> str:
    """Return a list item's number as printed.

    >>> list_number(2, "Decimal", "Period"), list_number(3, "LowerAlpha", "TwoParens")
    ('2.', '(c)')
    """
    label = str(place)
    if style.endswith("Alpha") and 1 <= place <= len(_ALPHABET):
        label = _ALPHABET[place - 1]
    elif style.endswith("Roman") and 1 <= place < 40:
        label = "x" * (place // 10) + _ROMAN[place % 10]
    if style.startswith("Upper"):
        label = label.upper()
    return _DELIMITERS.get(delimiter, "{}.").format(label)


def _coloured(rich: Rich) -> Rich:
    """Return the text with the passages between colour markers styled as coloured, and the markers removed."""
    if COLOUR_BEGINS not in rich.text:
        return rich
    coloured = Rich()
    deep = 0
    for sign, look in zip(rich.text, rich.looks, strict=True):
        if sign in (COLOUR_BEGINS, COLOUR_ENDS):
            deep = max(0, deep + (1 if sign == COLOUR_BEGINS else -1))
        else:
            coloured.add(sign, look | (COLOURED if deep else 0))
    return coloured


def title_paragraphs(reader: BlockReader, meta: Mapping[str, Any]) -> Iterator[Paragraph]:
    """Yield what pandoc separates from the text: title, subtitle, authors, date, abstract."""
    for name in ("title", "subtitle", "author", "date", "abstract"):
        value = meta.get(name)
        values = value["c"] if value is not None and value["t"] == "MetaList" else [value]
        for one in values:
            if one is not None and one["t"] == "MetaInlines":
                paragraphs = reader.paragraphs([{"t": "Para", "c": one["c"]}])
            elif one is not None and one["t"] == "MetaBlocks":
                paragraphs = reader.paragraphs(one["c"])
            else:
                continue
            if name == "title":
                for paragraph in paragraphs:
                    paragraph.heading = 1
            yield from paragraphs
