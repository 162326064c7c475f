"""Styled text, and a document's paragraphs before they are cut into lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from analytics.text.formulas import formula_segments
from questionbank.formats.html_reading import raised_or_lowered
from questionbank.papers.marks import GAP
from questionbank.papers.paper import Area
from questionbank.papers.point_phrases import POINTS
from questionbank.papers.truth_phrases import truth_of

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

    def add_typed(self, text: str, look: int = 0) -> None:
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
