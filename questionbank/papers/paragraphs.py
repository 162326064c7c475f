"""What the reader of a file returns: paragraphs of styled text, pictures and notices.

Word's formulas in plain text (EQ fields and arrays) become LaTeX here, because typed text contains them too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from analytics.text.formulas import formula_segments
from questionbank.formats.html_reading import raised_or_lowered
from questionbank.papers.marks import GAP
from questionbank.papers.paper_lines import Area
from questionbank.papers.points import POINTS
from questionbank.papers.tasks import truth_of

BOLD, UNDERLINED, COLOURED, ITALIC = 1, 2, 4, 8
_MARKING = BOLD | UNDERLINED | COLOURED
FORMULA = "\ue009"
"""Delimits a formula that is written into a document before pandoc reads it."""
_DOLLAR = "\ue004"  # a typed dollar sign, until the paragraph is complete
_TYPED_FORMULA = re.compile(r"\ue004(?=\S)([^\ue004\n]{1,400}?)(?<=\S)\ue004(?!\d)")
_MATHEMATICAL = re.compile(r"[\\^_={}<>+*/-]|^\s*[A-Za-z]\s*$")
_WORD = re.compile(r"[A-Za-z]{3,}")


@dataclass(slots=True)
class Rich:
    """Text with a style for each character: the sum of `BOLD`, `UNDERLINED`, `COLOURED` and `ITALIC`."""

    text: str = ""
    looks: bytes = b""

    def add(self, text: str, look: int = 0) -> None:
        """Add text in a single style."""
        self.text += text
        self.looks += bytes([look]) * len(text)

    def add_typed(self, text: str, look: int) -> None:
        """Add typed text: its dollar signs are prices unless the paragraph shows otherwise."""
        self.add(text.replace("$", _DOLLAR).replace(FORMULA, "$").replace("\u00a0", " "), look)

    def add_script(self, where: str, body: str, look: int) -> None:
        """Add superscript (``sup``) or subscript (``sub``): as Unicode characters if they exist, else as LaTeX."""
        before = [self.text]
        script = raised_or_lowered(where, body, before)
        self.text, self.looks = before[0], self.looks[: len(before[0])]
        self.add(script, look)

    def __getitem__(self, part: slice) -> Rich:
        return Rich(self.text[part], self.looks[part])

    def __add__(self, other: Rich) -> Rich:
        return Rich(self.text + other.text, self.looks + other.looks)

    def stripped(self) -> Rich:
        """Return the text with leading and trailing whitespace removed."""
        begin = len(self.text) - len(self.text.lstrip(" \t\n" + GAP))
        return self[begin : begin + len(self.text.strip(" \t\n" + GAP))]

    @property
    def common_look(self) -> int:
        """The style shared by all of its non-blank characters, ignoring italics."""
        return self._look_of_all(_MARKING)

    def _look_of_all(self, common: int) -> int:
        for sign, look in zip(self.text, self.looks, strict=True):
            if not sign.isspace():
                common &= look
        return common if self.text.strip() else 0

    def with_prices(self) -> Rich:
        """Resolve typed dollar signs: those around a formula are kept, those of prices are escaped."""
        if _DOLLAR not in self.text:
            return self
        kept = set()
        for match in _TYPED_FORMULA.finditer(self.text):
            body = match[1]
            if _MATHEMATICAL.search(body) and formula_segments(f"${body}$"):
                kept |= {match.start(), match.end() - 1}
        settled = Rich()
        for place, sign in enumerate(self.text):
            if sign == _DOLLAR:
                is_doubled = self.text[place + 1 : place + 2] == _DOLLAR or self.text[place - 1 : place] == _DOLLAR
                sign = "$" if place in kept or is_doubled or self.text[place - 1 : place] == "\\" else r"\$"
            settled.add(sign, self.looks[place])
        return settled

    def our_text(self) -> str:
        """Return the text in our notation: bold text in stars, underlined characters as a formula, gaps as spaces."""
        common = self._look_of_all(_MARKING | ITALIC)
        looks = bytes(
            look & ~common & (BOLD | UNDERLINED | ITALIC | COLOURED) if not sign.isspace() else 255
            for sign, look in zip(self.text, self.looks, strict=True)
        )
        pieces: list[str] = []
        start = 0
        while start < len(self.text):
            look = looks[start]
            end = start + 1
            while end < len(self.text) and looks[end] in (look, 255):
                end += 1
            while end > start + 1 and looks[end - 1] == 255:  # trailing spaces stay outside
                end -= 1
            pieces.append(_emphasised(self.text[start:end], 0 if look == 255 else look))
            start = end
        return _with_plain_gaps("".join(pieces))


def _emphasised(text: str, look: int) -> str:
    if not look or "![" in text or "\n" in text:
        return text
    if look & UNDERLINED and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.,]{0,5}", text):
        return rf"$\underline{{{text}}}$"  # "the underlined digit"
    if look & ~ITALIC and truth_of(text) and text.isalpha():
        return f"**{text}**"  # the chosen answer: "T / **F**"
    look &= ~COLOURED
    if not look or POINTS.fullmatch(text) or not _WORD.search(text) or "$" in text or "*" in text or "_" in text:
        return text
    return f"**{text}**" if look & (BOLD | UNDERLINED) else f"*{text}*"


def _with_plain_gaps(text: str) -> str:
    """Return a text with single spaces; a row of several tab-separated cells keeps its tabs."""
    text = text.strip(" \t\n" + GAP)
    parts = [" ".join(part.split()) for part in re.split(f"[{GAP}\t]+", text)]
    if len(parts) > 2 and max(map(len, parts)) <= 20:
        return "\t".join(parts)
    return " ".join(part for part in parts if part)


@dataclass(slots=True)
class Paragraph:
    """A paragraph of a document.

    Attributes:
        number: its automatic number in the document, as shown to readers.
        level: list level, 0 outside lists.
        heading: 1 to 6 for a heading.
        is_row: whether it is a row of a table that stays a table.
        area: its area on a page, if the page has a picture.
        is_uncertain: whether some of its characters could not be read.
        is_boxed: whether it is in a text box of its own.
    """

    rich: Rich = field(default_factory=Rich)
    number: str = ""
    level: int = 0
    heading: int = 0
    is_row: bool = False
    area: Area = ()
    is_uncertain: bool = False
    is_boxed: bool = False

    @classmethod
    def of(cls, text: str, number: str = "", *, heading: int = 0, is_row: bool = False) -> Paragraph:
        """Return a paragraph of plain text in our notation."""
        rich = Rich()
        rich.add(text)
        return cls(rich, number, heading=heading, is_row=is_row)


# -- the content of a file ---------------------------------------------------------------------------------------------


ELSEWHERE = "not in the file and not fetched. Insert them into the document."
CHANGED = "The document has tracked changes. It is read as if all of them were accepted."
PROTECTED = "The document is protected by a password. Save a copy without a password and read that."


def counted(count: int, one: str, many: str) -> str:
    """Return the singular or plural form of a phrase for a number.

    >>> counted(1, "1 picture is", "{} pictures are"), counted(2, "1 picture is", "{} pictures are")
    ('1 picture is', '2 pictures are')
    """
    return one if count == 1 else many.format(f"{count:,}")


@dataclass(slots=True)
class Source:
    """A document's paragraphs and pictures.

    Attributes:
        pictures: their bytes, by their names in the text.
        notices: sentences about what could not be read.
        picture_widths: in points, by the same names, for pictures that specify a width.
        lost_pictures: number of pictures that could not be stored.
        pages: the pictures of its pages, if it has pages; empty for a page that could not be rendered.
    """

    paragraphs: list[Paragraph]
    pictures: dict[str, bytes] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    lost_pictures: int = 0
    picture_widths: dict[str, float] = field(default_factory=dict)
    pages: list[bytes] = field(default_factory=list)


# -- Word's formulas in plain text -------------------------------------------------------------------------------------


_COMMAND = re.compile(r"\\([a-zA-Z]+)\s*")
_DEEPEST = 12
_ARRAY_OPTION = re.compile(r"\\(?:a[lcr]|[vh]s\d+|co(?P<columns>\d))\s*")
_BRACKET = re.compile(r"\\(?P<side>[lrb])c\\(?P<sign>.)\s*")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_ARRAY = re.compile(
    r"(?P<brace>\\?\{[ ]?)?(?P<kind>[█■Ⓒ])\((?P<rows>(?:[^()█■Ⓒ]|\((?:[^()]|\([^()]*\))*\))+)\)[ ]?(?P<end>┤)?"
)


def eq_latex(code: str) -> str:
    r"""Return a field's code as LaTeX; empty if it uses an unknown command.

    >>> eq_latex(r" \f(1,2)"), eq_latex(r"\r(3,x+1)"), eq_latex(r"x\s\up6(2)"), eq_latex(r"\i(1,2,x)")
    ('\\frac{1}{2}', '\\sqrt[3]{x+1}', 'x^{2}', '')
    >>> eq_latex(r"\b\lc\{(\a\al(x+y=7,2x-y=5))")
    '\\left\\{\\begin{array}{l} x+y=7 \\\\ 2x-y=5 \\end{array}\\right.'
    """
    try:
        return _read(code.strip(), 0)
    except ValueError:
        return ""


def array_latex(text: str, *, between: str = "") -> str:
    r"""Convert Word's linear-format arrays in a text to LaTeX arrays.

    Word's linear format: Unicode Technical Note 28, sections 2.1 and 3.19. It occurs in equations that were not built
    up, and in plain text copied from Word.

    Args:
        between: text inserted before and after each array.

    >>> array_latex("{█(x+y=7@2x-y=5)┤")
    '\\left\\{\\begin{array}{l} x+y=7 \\\\ 2x-y=5 \\end{array}\\right.'
    """
    return _ARRAY.sub(lambda match: f"{between}{_array(match)}{between}", text)


def _array(match: re.Match[str]) -> str:
    rows = r" \\ ".join(row.strip().replace(r"\&", "&") for row in match["rows"].split("@"))
    if match["kind"] == "■":
        array = rf"\begin{{matrix}} {rows} \end{{matrix}}"
    else:
        array = rf"\begin{{array}}{{l}} {rows.replace('&', '')} \end{{array}}"
    has_brace = match["kind"] == "Ⓒ" or match["brace"]
    return rf"\left\{{{array}\right." if has_brace else array


def _read(code: str, depth: int) -> str:
    if depth > _DEEPEST:
        raise ValueError("nests too deeply")
    latex, place = "", 0
    while place < len(code):
        match = _COMMAND.match(code, place)
        if match is None:
            latex += code[place]
            place += 1
            continue
        latex_part, place = _command(match[1].lower(), code, match.end(), depth)
        latex += latex_part
    return latex.strip()


def _command(name: str, code: str, place: int, depth: int) -> tuple[str, int]:
    if name in ("f", "r"):
        parts, place = _arguments(code, place)
        read = [_read(part, depth + 1) for part in parts]
        if name == "f" and len(read) == 2:
            return rf"\frac{{{read[0]}}}{{{read[1]}}}", place
        if name == "r" and len(read) == 2 and read[0]:
            return rf"\sqrt[{read[0]}]{{{read[1]}}}", place
        if name == "r" and read:
            return rf"\sqrt{{{read[-1]}}}", place
    elif name == "s":
        match = re.compile(r"\\(up|do)\d*\s*").match(code, place)
        if match is not None:
            parts, place = _arguments(code, match.end())
            return f"{'^' if match[1] == 'up' else '_'}{{{_read(','.join(parts), depth + 1)}}}", place
    elif name == "a":
        return _field_array(code, place, depth)
    elif name == "b":
        return _bracketed(code, place, depth)
    raise ValueError(f"unknown: {name}")


def _field_array(code: str, place: int, depth: int) -> tuple[str, int]:
    columns = 1
    while option := _ARRAY_OPTION.match(code, place):
        columns, place = int(option["columns"] or columns) or 1, option.end()
    parts, place = _arguments(code, place)
    cells = [_read(part, depth + 1) for part in parts if part.strip() or columns > 1]
    rows = (" & ".join(cells[start : start + columns]) for start in range(0, len(cells), columns))
    inner = r" \\ ".join(rows)
    return rf"\begin{{array}}{{{columns * 'l'}}} {inner} \end{{array}}", place


def _bracketed(code: str, place: int, depth: int) -> tuple[str, int]:
    sides = {"l": "", "r": ""}
    while option := _BRACKET.match(code, place):
        sign, place = option["sign"].strip() or ".", option.end()
        sides |= {"l": sign, "r": _CLOSING.get(sign, sign)} if option["side"] == "b" else {option["side"]: sign}
    if not any(sides.values()):
        sides = {"l": "(", "r": ")"}
    parts, place = _arguments(code, place)
    left, right = (rf"\{sign}" if sign in ("{", "}") else sign or "." for sign in sides.values())
    return rf"\left{left}{_read(','.join(parts), depth + 1)}\right{right}", place


def _arguments(code: str, place: int) -> tuple[list[str], int]:
    """Return the comma-separated arguments in the brackets at a position, and where the brackets end."""
    if code[place : place + 1] != "(":
        raise ValueError("no brackets")
    parts, deep = [""], 0
    for end in range(place, len(code)):
        sign = code[end]
        deep += (sign == "(") - (sign == ")")
        if deep == 0:
            return parts, end + 1
        if sign in ",;，" and deep == 1:
            parts.append("")
        elif end > place:
            parts[-1] += sign
    raise ValueError("brackets are not closed")


FILE_LIMIT = 50 * 1024 * 1024  # bytes
PAGES_LIMIT = 500
DAMAGED = "The document is damaged. Open it in the program that made it and save it again."

TOO_DEEP = "The document has tables or lists within each other too many times to be read. Save a simpler copy of it."


def picture_name(address: str) -> str:
    """Return our name for a picture from its address in a package: no spaces, no brackets."""
    name = address.rpartition("/")[2]
    return "".join(sign if sign.isalnum() or sign in "._-" else "-" for sign in name)


_SATURATION = 60  # of 255, between the strongest and weakest channel: less reads as black or grey


def is_colour(code: str) -> bool:
    """Return whether a colour, as six hexadecimal digits, is anything but black, grey or white.

    >>> is_colour("FF0000"), is_colour("333333"), is_colour("auto")
    (True, False, False)
    """
    code = code.removeprefix("#")
    if not re.fullmatch(r"[0-9A-Fa-f]{6}", code):
        return False
    channels = [int(code[place : place + 2], 16) for place in (0, 2, 4)]
    return max(channels) - min(channels) > _SATURATION
