"""Cut paragraphs into lines: each with its number, its text in our notation, and whether it is highlighted.

A paragraph with several options becomes one line per option. How a paper writes points without a word for them ("(2)",
"/2" or "2" at the end) is detected from all its paragraphs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, islice, pairwise
from typing import Any

from analytics.text.formulas import formula_segments
from questionbank.core.errors import DocumentRefused
from questionbank.papers.answer_alignment import listed_numbers
from questionbank.papers.answer_keys import TITLE_AND_LIST
from questionbank.papers.marks import GAP, begins_part, cuts, read_mark, take_compound, take_mark
from questionbank.papers.pandoc import SOFT_BREAK
from questionbank.papers.paper_lines import Line
from questionbank.papers.paragraphs import COLOURED, Paragraph, Rich
from questionbank.papers.phrases import ANSWER, ANSWER_WITHIN, RIGHT_BEHIND, SOLUTION
from questionbank.papers.points import COUNTED, POINTS, points_of

_FEWEST = 3
_FEWEST_ALONE = 4  # numbers without text beside them
_MOST = 20
_LARGE = 10
_LONGEST_MARK = 3  # characters: "B 5" is an option
_VALUE = r"(?P<points>[1-9]|1\d|20)"


_COLUMN = re.compile(rf"(?<=[^=＝\s\d{GAP}]){GAP}\s*{_VALUE}\s*$")
_BRACKETS = re.compile(rf"(?<=\S)[\s{GAP}]+\((?P<points>[1-9]|1\d|20|\d{{1,2}}[.,][05])\)\s*$")
_SLASH = re.compile(rf"(?<=\S)[\s{GAP}]+/\s?{_VALUE}\s*$")
_BEHIND_SPACE = re.compile(rf"(?:_{{3,}}|\.{{5,}}|…{{2,}})[\s{GAP}]*(?:[^\s()]{{1,5}}[\s{GAP}]*)?\({_VALUE}\)\s*$")
_FIRST = re.compile(
    rf"\(?(?P<points>\d{{1,2}}(?:[.,]5)?\s?{COUNTED})\)?[\s{GAP}]+(?P<number>\d{{1,3}})[.)]?[\s{GAP}]+(?=\S)",
    re.IGNORECASE,
)
_SAYS_POINTS = re.compile(rf"\b(?:total|marks|points|punkte)\b.{{0,40}}\d|\d\s?{COUNTED}(?!\w)", re.IGNORECASE)


def with_points(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Put numbers that are points by the paper's style in square brackets at the end of their paragraphs."""
    found = _with_points_behind(paragraphs)
    for part in found:
        if not part.is_row and (match := _BEHIND_SPACE.search(part.rich.text)):
            _put_in_brackets(part, match)
    asked = [part for part in found if _asks(part)]
    for style in (_COLUMN, _BRACKETS, _SLASH):
        if _is_used(style, asked, found):
            for part in found:
                match = style.search(part.rich.text)
                if match and not part.is_row and len(part.rich.text[: match.start()].strip()) > _LONGEST_MARK:
                    _put_in_brackets(part, match)
    return found


def _put_in_brackets(part: Paragraph, match: re.Match[str]) -> None:
    points = f" [{match['points']}]" if match["points"].isdigit() else f" ({match['points']} marks)"
    before = len(part.rich.text[: match.start("points")].rstrip(f" (/{GAP}"))
    part.rich = part.rich[:before] + Rich(points, bytes(len(points)))


def _is_used(style: re.Pattern[str], asked: Sequence[Paragraph], found: Sequence[Paragraph]) -> bool:
    """Return whether enough questions and parts end like this, with plausible numbers, for these to be points.

    After a slash a number can hardly be anything else. In a column or in brackets it may be an answer, unless the
    numbers repeat, or the paper mentions points and puts small numbers in brackets.
    """
    values = [points_of(match["points"]) for part in asked if (match := style.search(part.rich.text))]
    if len(values) < _FEWEST or 3 * len(values) < len(asked):
        return False
    if style is _SLASH or 2 * len({*values}) <= len(values):
        return True
    return style is _BRACKETS and max(values) < _LARGE and any(_SAYS_POINTS.search(part.rich.text) for part in found)


def with_column_of_points(lines: Sequence[Line]) -> list[Line]:
    """Put the numbers of a column of points in brackets: numbers that are repeatedly alone on a line."""
    alone = {
        place: int(line.number)
        for place, line in enumerate(lines)
        if not line.text and line.number.isdigit() and 0 < int(line.number) <= _MOST
    }
    values = [*alone.values()]
    counts_on = sum(after == one + 1 for one, after in pairwise(values))
    if len(values) < _FEWEST_ALONE or 2 * counts_on >= len(values):
        return [*lines]
    return [
        replace(line, number="", text=f"[{alone[place]}]") if place in alone else line
        for place, line in enumerate(lines)
    ]


def _with_points_behind(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    """Move points before consecutive numbers, as in "2p 1 Find x.", to the end of the text."""
    found = [*paragraphs]
    starts = [(part, match) for part in found if not part.number and (match := _FIRST.match(part.rich.text))]
    numbers = [int(match["number"]) for _, match in starts]
    if len(numbers) < _FEWEST or any(after != one + 1 for one, after in pairwise(numbers)):
        return found
    for part, match in starts:
        points = f" ({match['points']})"
        rest = part.rich[match.end() :]
        part.number = f"{match['number']}."
        part.rich = rest + Rich(points, bytes(len(points)))
    return found


def _asks(paragraph: Paragraph) -> bool:
    """Return whether a question or part without explicitly worded points begins here."""
    number, rest = take_mark(paragraph.rich.text)
    mark = read_mark(paragraph.number or (number if rest else ""))
    kinds = ("digits", "word", "levels", "lower", "roman")
    return mark.kind in kinds and (
        not POINTS.search(paragraph.rich.text) or _SLASH.search(paragraph.rich.text) is not None
    )


# -- paragraphs to lines -----------------------------------------------------------------------------------------------


LINES_LIMIT = 30_000
_LONGEST_CUT = 5_000  # characters in a paragraph that may contain several options
_FORMULA_BREAK = re.compile(f"[\n{SOFT_BREAK}{GAP}]")
_HAS_ROWS = re.compile(r"\\(?:begin|left)\b")
_MOST_FORMULA_LINES = 60
_LABEL = re.compile(r"\*{1,2}([^*\n]{1,40}?)\*{1,2}(?=\s|$|:)")
_BARE_LETTER = re.compile(
    r"(?P<flag>(?:\*|[✓✔√])[ ]?)?(?:\*\*)?(?P<letter>[a-hA-F])(?:\s?[-–—/:.。])?(?:\*\*)?[ \t](?=[^\W_]|[$(−–-]\S)"
)
_ROW_LETTER = re.compile(
    rf"(?:^|(?<={GAP})|(?<=[ \t]{{2}}))([A-Fa-f])(?=(?: [-–—]|/)? [^\s]{{1,40}}(?: \S{{1,20}}){{0,4}}\s*(?:{GAP}|$))"
)
_TRUTHS_FIRST = re.compile(rf"(T(?:rue)?|TRUE)[\s/{GAP}]+(F(?:alse)?|FALSE)[\s{GAP}]+(?=\d{{1,3}}\s?[.)])")
"""The words to choose from before a statement's number: "T  F  7) 9 is odd."."""
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LETTER = re.compile(r"(?<![^\W_])[(]?([A-H])[.)]?(?![^\W_])")
_LETTERS_APART = 8  # lines between two consecutive letters


# -- paragraphs to lines -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Piece:
    """A line, with a fact that only makes sense beside its neighbours: whether just its mark is highlighted."""

    line: Line
    has_marked_number: bool = False


def cut_lines(paragraphs: Iterable[Paragraph]) -> tuple[Line, ...]:
    """Convert paragraphs to lines.

    Raises:
        DocumentRefused: If there are too many lines.
    """
    pieces: list[_Piece] = []
    for paragraph in with_points(_with_named_pictures(_with_whole_formulas(islice(paragraphs, LINES_LIMIT + 1)))):
        for piece in _pieces(paragraph):
            if pieces and pieces[-1].line.number and not piece.line.number and _says_right(piece.line.text):
                above = pieces[-1].line  # "← correct" below an option
                pieces[-1] = replace(pieces[-1], line=replace(above, text=f"{above.text} {piece.line.text}"))
            else:
                pieces.append(piece)
        if len(pieces) > LINES_LIMIT:
            raise DocumentRefused(f"The document has more than {LINES_LIMIT:,} lines. Split it into smaller documents.")
    return tuple(with_column_of_points([*_with_marked_letters(_by_letters(_with_bare_letters(pieces)))]))


def _with_whole_formulas(paragraphs: Iterable[Paragraph]) -> list[Paragraph]:
    r"""Join paragraphs that a single formula spans, for example from ``\[`` to ``\]``."""
    found = [*paragraphs]
    starts = [*accumulate((len(part.rich.text) + 1 for part in found), initial=0)]
    for formula in reversed(formula_segments("\n".join(part.rich.text for part in found))):
        first, last = (bisect_right(starts, place) - 1 for place in (formula.start, formula.end - 1))
        inner = found[first + 1 : last + 1]
        if (
            not _FORMULA_BREAK.search(formula.source)
            or not (formula.display or _HAS_ROWS.search(formula.body))
            or any(part.number or part.heading or part.is_row for part in inner)
            or len(inner) > _MOST_FORMULA_LINES
        ):
            continue
        rich = found[first].rich
        for part in inner:
            rich = rich + Rich("\n", bytes(1)) + part.rich
        start, end = formula.start - starts[first], formula.end - starts[first]
        whole = _FORMULA_BREAK.sub(" ", rich.text[start:end])
        found[first].rich = Rich(rich.text[:start] + whole + rich.text[end:], rich.looks)
        del found[first + 1 : last + 1]
    return found


def _with_named_pictures(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """Turn pictures in a row, with letters in the row below, into options with these letters."""
    found: list[Paragraph] = []
    for part in paragraphs:
        above = found[-1].rich if found else Rich()
        pictures = [*_PICTURE.finditer(above.text)]
        letters = [*_LETTER.finditer(part.rich.text)]
        named = "".join(match[1] for match in letters)
        if (
            len(pictures) > 1
            and not _PICTURE.sub("", above.text).strip(f" {GAP}\n")
            and not _LETTER.sub("", part.rich.text).strip(f" {GAP}\n")
            and len(letters) == len(pictures)
            and named in "ABCDEFGH"
        ):
            rich = Rich()
            for letter, picture in zip(letters, pictures, strict=True):
                rich += part.rich[slice(*letter.span(1))] + Rich(". ", bytes(2))
                rich += above[slice(*picture.span())] + Rich(GAP, bytes(1))
            found[-1] = replace(found[-1], rich=rich)
        else:
            found.append(part)
    return found


def _pieces(paragraph: Paragraph) -> Iterator[_Piece]:
    seen: dict[str, Any] = {"area": paragraph.area, "is_uncertain": paragraph.is_uncertain}
    if paragraph.is_row:
        yield _Piece(Line(paragraph.rich.text.strip(), **seen))
        return
    is_first = True
    for rich in _parts(paragraph):
        number, text = paragraph.number if is_first else "", rich
        number_look = 0
        if not number:
            question, part, _rest = take_compound(rich.text)
            if part == "(a)":
                yield _Piece(Line("", question, paragraph.level, is_joined=not is_first, **seen))
                is_first = False
            number, _rest = take_mark(rich.text)
            text = rich[len(rich.text) - len(_rest) :] if number else rich
            if number:
                number_look = rich[: rich.text.find(number) + len(number)].common_look
        text = text.stripped()
        if number and text.text[:2] in ("- ", "– "):  # "Question 1. - Find x."
            text = text[2:].stripped()
        if (
            (mark := read_mark(number)).kind in ("bullet", "box")
            and (inner := take_mark(text.text)[0]) != text.text
            and inner
        ):  # "- [x] 9", "• A. 9", "( ) A. 9"
            flag = "*" if mark.kind == "box" and mark.is_flagged else ""
            number, text = f"{flag}{inner}", text[len(text.text) - len(take_mark(text.text)[1]) :].stripped()
        if not number and not text.text:
            continue
        line = Line(
            text=_with_plain_label(text.our_text()),
            number=number,
            level=paragraph.level,
            heading=paragraph.heading if is_first else 0,
            is_marked=bool(text.common_look if text.text else number_look),
            is_joined=not is_first,
            **seen,
            is_boxed=paragraph.is_boxed,
        )
        yield _Piece(line, bool(number_look))
        is_first = False


def _with_plain_label(text: str) -> str:
    """Return a text without the emphasis of its leading label: "**Answer:** 5"."""
    match = _LABEL.match(text)
    if match and (ANSWER.match(f"{match[1]} ") or SOLUTION.match(f"{match[1]} ")):
        return f"{match[1]}{text[match.end() :]}"
    return text


def _parts(paragraph: Paragraph) -> Iterator[Rich]:
    """Yield the lines of a paragraph, cut at line breaks and before each of several options."""
    if paragraph.number and begins_part(paragraph.rich.text):
        yield Rich()
    for rich in map(_with_dots, _broken(paragraph.rich)):
        if truths := _TRUTHS_FIRST.match(rich.text):
            rich = (
                rich[truths.end() :]
                + Rich("  ", bytes(2))
                + rich[slice(*truths.span(1))]
                + Rich(" / ", bytes(3))
                + rich[slice(*truths.span(2))]
            )
        if len(rich.text) > _LONGEST_CUT:
            yield rich.stripped()
            continue
        if (title := TITLE_AND_LIST.match(rich.text)) and _begins_list(rich.text[title.end() :]):
            yield rich[: title.end()].stripped()
            rich = rich[title.end() :]
        label = ANSWER.match(rich.text)
        begin = label.end() if label else 1
        answers = [match.start() for match in ANSWER_WITHIN.finditer(rich.text) if match.start() >= begin]
        places = [0, *sorted({*cuts(rich.text), *answers})]
        places = [*places, *written_behind(rich, places[-1]), len(rich.text)]
        for start, end in pairwise(places):
            yield rich[start:end].stripped()


def _with_dots(rich: Rich) -> Rich:
    """Add a full stop after each letter in a row of options: "A 13   B 14   C 15"."""
    found = [*_ROW_LETTER.finditer(rich.text)]
    if len(found) < 2 or "ABCDEF".find("".join(match[1] for match in found).upper()) not in (0, 2):
        return rich
    dotted = Rich()
    for start, end in pairwise([0, *(match.end(1) for match in found), len(rich.text)]):
        piece = rich[start:end]
        dotted += piece
        if end < len(rich.text):
            dotted.add(".", piece.looks[-1])
    return dotted


def _begins_list(text: str) -> bool:
    """Return whether a text is the start of a list of answers: "1. B"."""
    number, answer = take_mark(text)
    mark = read_mark(number)
    if answer and mark.kind in ("digits", "word") and mark.series != "digits-":
        return True
    return len(listed_numbers(text)) > 1


def _broken(rich: Rich) -> Iterator[Rich]:
    start = 0
    for match in re.finditer(f"\n|{SOFT_BREAK}", rich.text):
        if match[0] == SOFT_BREAK and not take_mark(rich.text[match.end() :])[0]:
            continue
        yield _with_blanks(rich[start : match.start()])
        start = match.end()
    yield _with_blanks(rich[start:])


def _with_blanks(rich: Rich) -> Rich:
    return Rich(rich.text.replace(SOFT_BREAK, " "), rich.looks)


def _says_right(text: str) -> bool:
    return RIGHT_BEHIND.fullmatch(text.replace("*", "")) is not None


def _with_bare_letters(pieces: list[_Piece]) -> Iterator[_Piece]:
    """Yield the lines, with consecutive bare letters turned into numbers: "a Find x." and "b Find y." below it."""
    found = {
        place: match
        for place, piece in enumerate(pieces)
        if not piece.line.number and (match := _BARE_LETTER.match(piece.line.text))
    }
    letters = [*found]
    for at, place in enumerate(letters):
        letter = found[place]["letter"]
        apart = _LETTERS_APART if letter.islower() else 1
        beside = {
            ord(found[other]["letter"]) - ord(letter)
            for other in letters[max(0, at - 2) : at + 3]
            if abs(other - place) <= apart * abs(letters.index(other) - at)
        }
        counts_on = (
            beside & {1, -1} if letter.islower() else beside >= {1, 2} or beside >= {-1, 1} or beside >= {-2, -1}
        )
        if counts_on:
            line = pieces[place].line
            number = f"{found[place]['flag'] or ''}{letter})"
            line = replace(line, number=number, text=line.text[found[place].end() :])
            pieces[place] = replace(pieces[place], line=line)
    yield from pieces


def _by_letters(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Yield the lines, with options in columns sorted by letter: "A. 1   C. 3" above "B. 2   D. 4"."""
    for series, group in groupby(pieces, lambda piece: _series(piece.line)):
        run = [*group]
        marks = [read_mark(piece.line.number) for piece in run]
        values = [mark.value for mark in marks]
        are_columns = series and values[0] == 1 and sorted(values) == [*range(1, len(run) + 1)]
        order = sorted(range(len(run)), key=values.__getitem__) if are_columns else range(len(run))
        yield from (run[place] for place in order)


def _series(line: Line) -> str:
    mark = read_mark(line.number)
    return mark.series if mark.kind in ("upper", "lower") else ""


def _with_marked_letters(pieces: Iterable[_Piece]) -> Iterator[Line]:
    """Yield the lines; if a single option has a highlighted letter, the option counts as highlighted."""
    for is_option, group in groupby(pieces, _is_lettered):
        run = list(group)
        marked = [piece for piece in run if piece.has_marked_number]
        others = [piece for piece in run if piece.line.is_marked]
        for piece in run:
            is_alone = is_option and marked == [piece] and not others
            yield replace(piece.line, is_marked=True) if is_alone else piece.line


def _is_lettered(piece: _Piece) -> bool:
    mark = read_mark(piece.line.number)
    return mark.kind in ("upper", "lower", "box") or mark.series in ("digits()", "digits○")


_ASKED = (".", "?", "!", ":", "=", ")", "]", "_", "。", "？", "：", "．", "）")


def written_behind(rich: Rich, start: int) -> list[int]:
    """Return where a coloured answer begins after the question that starts at `start`; empty if there is none."""
    end = len(rich.text)
    while end > start and (rich.looks[end - 1] & COLOURED or rich.text[end - 1].isspace()):
        end -= 1
    asked, written = rich.text[start:end].strip(" " + GAP), rich.text[end:].strip(" " + GAP)
    if not written or not take_mark(asked)[1] or not asked.endswith(_ASKED):
        return []
    return [end] if read_mark(take_mark(written)[0]).kind in ("", "digits") else []
