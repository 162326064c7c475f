"""Convert rows of glyphs to lines of text: spaces and gaps by distance, mathematics in dollar signs, styles."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from questionbank.formats.mathml_latex import FUNCTIONS
from questionbank.papers.marks import GAP
from questionbank.papers.paragraphs import Rich
from questionbank.papers.pdf.mathematics import Atom, Row, atoms_of, latex_of_atoms
from questionbank.papers.pdf.pages import Box, Glyph, around

BLANK = 0.16  # of the font size; minimum distance between two words
WIDE = 1.2  # likewise; minimum distance between two columns
_NEUTRAL = re.compile(r"[0-9.,+\-−=×÷<>≤≥≠≈±·⋅∈∉⊂⊆∩∪→⇒⇔∞∑∫\u0338*/^|:()\[\]{}a-zA-Zα-ωΔ°′'!%]*")
_OPERATORS = frozenset("+-−=×÷<>≤≥≠≈±·⋅∈∉⊂⊆∩∪→⇒⇔\u0338")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_ALONE = frozenset("aAI")
_PART = re.compile(r"\((?:[a-h]|[ivx]{1,4})\)")
_END_SIGNS = ".,;:?!"


@dataclass(frozen=True, slots=True)
class Cell:
    """A stretch of a line between two wide gaps, with its horizontal extent."""

    text: Rich
    x0: float
    x1: float


@dataclass(slots=True, eq=False)
class PdfLine:
    """A line of a page.

    Attributes:
        text: styled text.
        box: bounding box.
        size: font size.
        column: left and right edge of its column.
        cells: its stretches between wide gaps.
        is_uncertain: whether some of its characters could not be read.
        number: its number by layout: "7" alone at the left margin.
        first_word: width of the first word.
        margin_gap: the gap after the first word, relative to the font size.
    """

    text: Rich
    box: Box
    size: float
    page: int
    column: tuple[float, float]
    baseline: float = 0.0
    is_uncertain: bool = False
    number: str = ""
    cells: tuple[Cell, ...] = ()
    first_word: float = 0.0
    margin_gap: float = 0.0


@dataclass(slots=True)
class _Word:
    atoms: list[Atom]
    gap: float  # before it, in points
    is_glued: bool = False  # no space before it

    @property
    def plain(self) -> str:
        return "".join(atom.glyph.text for atom in self.atoms)


def text_of(row: Row) -> tuple[Rich, bool, list[tuple[float, float]]]:
    """Return a row's text, whether some characters could not be read, and the horizontal extents of its words."""
    words = _words(row)
    rich = Rich()
    is_uncertain = False
    place = 0
    while place < len(words):
        end = _formula_end(words, place)
        if rich.text and not words[place].is_glued:
            rich.add(GAP if _is_far(words[place], row.size) else " ")
        if end > place:
            is_uncertain |= _add_formula(rich, words[place:end])
            place = end
        else:
            is_uncertain |= _add_word(rich, words[place])
            place += 1
    spans = [(word.atoms[0].glyph.start, word.atoms[-1].end) for word in words]
    return rich, is_uncertain, spans


def _words(row: Row) -> list[_Word]:
    words: list[_Word] = []
    for atom in atoms_of(row):
        if not words:
            words.append(_Word([atom], 0.0))
            continue
        gap = atom.glyph.start - words[-1].atoms[-1].end
        size = max(row.size, 1.0)
        if is_chinese(words[-1].atoms[-1].glyph.text) != is_chinese(atom.glyph.text) and gap < WIDE * size:
            words.append(_Word([atom], gap, is_glued=not atom.glyph.blanks and gap < 0.3 * size))
        elif gap > BLANK * size or (atom.glyph.blanks and gap > 0.05 * size):
            words.append(_Word([atom], gap))
        else:
            words[-1].atoms.append(atom)
    return words


def _is_far(word: _Word, size: float) -> bool:
    """Return whether a word follows a tab or several spaces."""
    return word.gap > WIDE * size or (word.atoms[0].glyph.blanks > 1 and word.gap > 0.4 * size)


def _is_formula(word: _Word) -> bool:
    """Return whether a word can only be displayed as a formula."""
    return any(
        atom.glyph.latex or atom.glyph.is_variable or (atom.is_mathematics and not _is_unit(word))
        for atom in word.atoms
    )


def _is_unit(word: _Word) -> bool:
    """Return whether a word is a unit or ordinal with an exponent that exists as a character: "cm²", "1st"."""
    raised = [atom for atom in word.atoms if atom.raised or atom.lowered]
    if len(raised) != 1 or raised[0].lowered or any(atom.glyph.latex for atom in word.atoms):
        return False
    script = "".join(one.text for one in raised[0].raised)
    before = "".join(atom.glyph.text for atom in word.atoms[: word.atoms.index(raised[0]) + 1])
    return bool(
        (script in ("2", "3") and re.search(r"(?:^|\d|/)(?:[mck]?m|km|in|ft)$", before) and before != "m")
        or (script in ("st", "nd", "rd", "th", "e", "er") and before[-1:].isdigit())
    )


def _is_neutral(word: _Word) -> bool:
    """Return whether a word may belong to an adjacent formula."""
    plain = word.plain.rstrip(_END_SIGNS)
    if not plain or not _NEUTRAL.fullmatch(plain) or plain in _ALONE or _PART.fullmatch(plain):
        return False
    return all(letters in FUNCTIONS for letters in _LETTERS.findall(plain))


def _formula_end(words: Sequence[_Word], place: int) -> int:
    """Return the end of a formula that begins at a word; the word's own index if no formula begins there."""
    end, last_formula = place, place
    while end < len(words):
        word = words[end]
        if end > place and (_is_far(word, word.atoms[0].glyph.size) or _ends(words[end - 1])):
            break
        is_formula = _is_formula(word)
        if not is_formula and not _is_neutral(word):
            break
        if end > place and not _is_linked(words[end - 1], word):
            break
        end += 1
        if is_formula:
            last_formula = end
    if last_formula == place:
        return place
    return end


def _ends(word: _Word) -> bool:
    return word.plain[-1:] in _END_SIGNS and word.plain[-1:] != ":"


def _is_linked(before: _Word, after: _Word) -> bool:
    """Return whether two words are joined by an operator, or are both mathematics without one: "2 x"."""
    if before.plain[-1:] in _OPERATORS or after.plain[:1] in _OPERATORS:
        return True
    if before.plain in FUNCTIONS or after.plain in FUNCTIONS:
        return True
    first = after.atoms[0].glyph
    is_near = after.gap < 0.45 * first.size
    return is_near and (not first.blanks or (_is_formula(before) and _is_formula(after)))


def _add_formula(rich: Rich, words: Sequence[_Word]) -> bool:
    atoms = [atom for word in words for atom in word.atoms]
    tail = ""
    while atoms and not atoms[-1].is_mathematics and atoms[-1].glyph.text in _END_SIGNS:
        tail = atoms.pop().glyph.text + tail
    head = ""
    opened = sum(atom.glyph.text == "(" for atom in atoms) - sum(atom.glyph.text == ")" for atom in atoms)
    if opened > 0 and atoms[0].glyph.text == "(":  # "(where x > 0 ..."
        head = atoms.pop(0).glyph.text
    if opened < 0 and atoms and atoms[-1].glyph.text == ")" and not atoms[-1].is_mathematics:
        tail = atoms.pop().glyph.text + tail
    mark = re.match(r"(?:[A-Ha-h]|\d{1,2})[.)]", "".join(atom.glyph.text for atom in atoms[:3]))
    if mark and not any(atom.is_mathematics for atom in atoms[: len(mark[0])]) and not _is_decimal(atoms, len(mark[0])):
        head += mark[0] + " "
        atoms = atoms[len(mark[0]) :]
    look = _common_look(atoms)
    rich.add(head, look)
    if atoms:
        rich.add(f"${latex_of_atoms(atoms)}$", look)
    rich.add(tail, look)
    return any(atom.glyph.is_unknown for atom in atoms)


def _is_decimal(atoms: Sequence[Atom], end: int) -> bool:
    return atoms[0].glyph.text.isdigit() and end < len(atoms) and atoms[end].glyph.text.isdigit()


def _common_look(atoms: Sequence[Atom]) -> int:
    look = 3
    for atom in atoms:
        look &= atom.glyph.look
    return look & 7 if atoms else 0


def _add_word(rich: Rich, word: _Word) -> bool:
    for atom in word.atoms:
        rich.add(atom.glyph.text.replace("$", r"\$"), atom.glyph.look)
        if atom.raised:
            rich.add_script("sup", "".join(one.text for one in atom.raised), atom.glyph.look)
        if atom.lowered:
            rich.add_script("sub", "".join(one.text for one in atom.lowered), atom.glyph.look)
    return any(atom.glyph.is_unknown for atom in word.atoms)


def line_of(row: Row, page: int, column: tuple[float, float]) -> PdfLine:
    """Convert a row of glyphs to a line."""
    rich, is_uncertain, spans = text_of(row)
    line = PdfLine(rich, around(row.glyphs), row.size, page, column, row.baseline, is_uncertain)
    line.cells = tuple(_cells(rich, spans, row.size))
    if spans:
        line.first_word = spans[0][1] - spans[0][0]
    if len(spans) > 1:
        line.margin_gap = (spans[1][0] - spans[0][1]) / max(row.size, 1.0)
    return line


def _cells(rich: Rich, spans: Sequence[tuple[float, float]], size: float) -> Iterator[Cell]:
    """Yield the stretches of a line; nothing if the gaps in its text and on the page disagree."""
    groups: list[list[tuple[float, float]]] = []
    for span in spans:
        if groups and span[0] - groups[-1][-1][1] <= WIDE * size:
            groups[-1].append(span)
        else:
            groups.append([span])
    ends = [place for place, sign in enumerate(rich.text) if sign == GAP]
    if len(ends) + 1 != len(groups):
        return
    for group, start, end in zip(groups, [0, *(place + 1 for place in ends)], [*ends, len(rich.text)], strict=True):
        yield Cell(rich[start:end], group[0][0], max(stop for _start, stop in group))


def is_chinese(text: str) -> bool:
    """Return whether a character is Chinese, Japanese or Korean, and so is not separated from others by spaces."""
    return "\u2e80" <= text[:1] <= "\ud7ff" or "\uff00" <= text[:1] <= "\uffef"


def is_blank(glyphs: Sequence[Glyph]) -> bool:
    """Return whether glyphs are answer space: dots or underscores."""
    return bool(glyphs) and all(glyph.text in "._…·" for glyph in glyphs)
