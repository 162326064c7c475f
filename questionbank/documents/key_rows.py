"""The lines of a list of answers, each as one answer: its number, perhaps the letter of a part, and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from analytics.text.formulas import formula_segments
from questionbank.documents.marks import read_mark
from questionbank.documents.paper import Line
from questionbank.documents.phrases import ANSWER_COLUMN, NUMBER_COLUMN, POINTS_ALONE

_RANGE = re.compile(
    r"(\d{1,3})\s*[-–—~～至到]\s*(\d{1,3})\s*(?:题)?\s*[.:：、)]?\s*((?:[A-HTF√×对错][\s,，、]*)+)(?=\d|[;；.。]|$)"
)
_PAIR = re.compile(
    r"(?:Q(?:uestion)?\.?\s?)?(\d{1,3})\s*(?:[.)）、．:：=]|[-–—]>?|→)?[\s\u2003]*"
    r"[(（\[]?([A-K]{1,5}|[a-h]|True|False|TRUE|FALSE|T|F|√|×|✓|✗|对|错)[)）\]]?(?=[\s\u2003,;，；.|]"
    r"|$)[\s\u2003,;，；.|]*"
)
_SEQUENCE = re.compile(r"[A-H](?:[\s,;，、]*[A-H]){3,}")
_FIRST_COUNTED = re.compile(
    r"(?:[^\d$]{1,40}[:：]|[^\W\d_]{2,20}(?:\s[A-Z])?)?\s*(?P<mark>\d{1,3}\s?[.)、．:：])(?P<gap>\s*)(?=\S)"
)
_ROW = re.compile(
    r"(?:(?:zu|ad|ans(?:wer)?|answer to|q(?:n|uestion)?|no|nr|aufgabe|frage|exercice|ejercicio|réponse|respuesta|lösung"
    r"|solution|第)[.\s]*)?"
    r"(?P<number>\d{1,3})(?:\s?[(](?P<part>[a-h]|[ivx]{1,4})[)]|(?P<bare_part>(?-i:[a-h]))(?![A-Za-z])"
    r"|\s(?P<apart>(?-i:[a-h]))(?=[.)]))?"
    r"(?P<sign>\s?[.)、．:：题](?!\d)|\s?(?:[-–—=]>?|→)(?=\s)|[\s\u2003]|$)\s*",
    re.IGNORECASE,
)
_COMPOUNDS = re.compile(r"[,;，；\s]+(?=\d{1,2}(?:[(][a-h][)]|[a-h]?[)]))")
_SECTION_NAME = re.compile(r"[^\d$:：|]{2,40}[:：]\s*(?=\d{1,3}\b)")
_OPERATOR = re.compile(r"[×·+*/=<>÷−^-](?=\s)|(?![A-KTF]\b)[a-zA-Z°%]{1,3}\b(?!\s*[=<>])")
_SHORT = 100


@dataclass(frozen=True, slots=True)
class Row:
    """What a line of a list of answers begins with.

    Attributes:
        is_certain: a sign stands behind the number; a number alone may be a step of a solution.
    """

    number: int
    part: str
    text: str
    is_certain: bool


def key_row(text: str) -> Row | None:
    """Return the number, part and answer of a line.

    >>> key_row("4(a) 60"), key_row("zu 3: B")
    (Row(number=4, part='a', text='60', is_certain=True), Row(number=3, part='', text='B', is_certain=True))
    >>> key_row("2x = 10"), key_row("3 × 4 = 12")
    (None, None)
    """
    match = _ROW.match(text)
    if match is None:
        return None
    rest = text[match.end() :].strip()
    part = (match["part"] or match["bare_part"] or match["apart"] or "").lower()
    is_certain = bool(part) or match["sign"].strip() in (".", ")", "、", "．", ":", "：", "题")
    if not is_certain and (not rest or _OPERATOR.match(rest)):
        return None
    return Row(int(match["number"]), part, rest, is_certain)


def one_by_one(lines: Iterable[tuple[int, Line]], *, by_words: bool) -> Iterator[tuple[int, Line]]:
    """Yield the lines of a list, one for each answer: "1. 5 2. 12 cm" and "4(a) 60" are two lines each."""
    last = 0
    held: tuple[int, Line] | None = None  # a number alone: of a question whose part follows, or of marks
    for place, line in lines:
        line = replace(line, text=line.text.replace("**", ""))
        if held is not None and line.is_joined and line.number:
            last = int(held[1].number)
            yield held[0], replace(held[1], number=f"{last}.")
        held = None
        mark = read_mark(line.number)
        is_bare = mark is not None and mark.series == "digits-"
        if full_text(line).isdigit():
            held = place, replace(line, number=full_text(line), text="")
            continue
        columns = _columns(line)
        for column in columns:
            last = column.number
            yield from _lines_of(place, replace(line, number="", text=""), column)
        if columns:
            continue
        text = full_text(line)
        if cells := table_cells(text):
            yield place, Line(f"| {' | '.join(cells)} |")
            continue
        if row_cells(text) is None and (name := _SECTION_NAME.match(text)) and _lists(text[name.end() :]):
            text = text[name.end() :]
            line = Line(text)
            mark = None
        if listed_answers(text) or row_cells(text) is not None:
            yield place, line
            continue
        pieces = counted_answers(text)
        rows = _compounds(text) if not pieces else []
        if rows:
            for before, one in pairwise([None, *rows]):
                if one is not None:
                    is_new = before is None or before.number != one.number
                    yield from _lines_of(place, replace(line, number="", text=""), one, is_new=is_new)
            last = rows[-1].number
            continue
        for number, answer in pieces:
            last = int(re.match(r"\d+", number)[0])  # type: ignore[index]
            yield place, replace(line, number=number, text=answer)
        if pieces:
            continue
        is_compound = mark is not None and (
            (mark.kind == "lower" and line.number[:1].isdigit())
            or (mark.kind == "word" and mark.label[-1:].isalpha())
        )
        is_open = mark is None or is_bare or is_compound
        row = key_row(text) if is_open and not line.heading else None
        if row is not None and (row.is_certain or row.number == last + 1) and not (by_words and not row.part):
            yield from _lines_of(place, line, row, is_new=row.number != last)
            last = row.number
            continue
        if mark is not None and mark.kind in ("digits", "word"):
            last = mark.value
        yield place, line


def _compounds(text: str) -> list[Row]:
    """Return the answers of several parts on one line, each with its question's number: "1a) 2, 1b) 4, 2) 6"."""
    pieces = _COMPOUNDS.split(text) if "$" not in text else []
    rows = [row for row in map(key_row, pieces) if row]
    counts = [row.number for row in rows]
    is_list = len(rows) > 1 and len(rows) == len(pieces) and any(row.part for row in rows)
    return rows if is_list and counts == sorted(counts) else []


def table_cells(text: str) -> list[str]:
    """Return the cells of a typed row that begins with the name of a column: numbers or answers between tabs."""
    cells = [cell.strip() for cell in text.split("\t")]
    is_row = len(cells) > 2 and (NUMBER_COLUMN.fullmatch(cells[0]) or ANSWER_COLUMN.fullmatch(cells[0]))
    return cells if is_row and not any("|" in cell for cell in cells) else []


def _lines_of(place: int, line: Line, row: Row, *, is_new: bool = True) -> Iterator[tuple[int, Line]]:
    """Yield a line for the number of a row, and one for its part."""
    if is_new or not row.part:
        yield place, replace(line, number=f"{row.number}.", text="" if row.part else row.text)
    if row.part:
        yield place, replace(line, number=f"({row.part})", text=row.text)


def _columns(line: Line) -> list[Row]:
    """Return what a line of at least three columns says: a number, its answer and its marks, or several answers."""
    cells = [cell.strip() for cell in (*filter(None, [line.number]), *line.text.split("\t"))]
    labels = [row if (row := key_row(f"{cell.rstrip('.):')}.")) and not row.text else None for cell in cells]
    if len(cells) < 3 or labels[0] is None:
        return []
    if len(cells) % 2 == 0 and all(labels[::2]):
        return [
            replace(label, text=answer)
            for label, answer in zip(labels[::2], cells[1::2], strict=True)
            if label
        ]
    is_marked = all(POINTS_ALONE.fullmatch(cell) or not cell for cell in cells[2:])
    return [replace(labels[0], text=cells[1])] if is_marked else []


def _lists(text: str) -> bool:
    return bool(listed_answers(text) or counted_answers(text))


def counted_answers(text: str) -> list[tuple[str, str]]:
    """Return the numbers and answers of a line that lists several, perhaps behind a section's name; else nothing.

    >>> counted_answers("1.3000 2.80 3.A"), counted_answers("二、填空题：7．4；8．-2"), counted_answers("1. 2.5 cm")
    ([('1.', '3000'), ('2.', '80'), ('3.', 'A')], [('7．', '4'), ('8．', '-2')], [])
    """
    first = _FIRST_COUNTED.match(text)
    if first is None:
        return []
    formulas = [(segment.start, segment.end) for segment in formula_segments(text)]
    is_tight = not first["gap"]
    found: list[tuple[str, str]] = []
    mark, begin = first["mark"], first.end()
    while True:
        number = int(re.match(r"\d+", mark)[0])  # type: ignore[index]
        sign = re.escape(mark[-1])
        skipped = "|".join(str(number + step) for step in (2, 3, 4))
        following = re.compile(
            rf"(?:[\s;,，；。.]\s*(?P<next>{number + 1}\s?{sign})|[;；]\s*(?P<later>(?:{skipped})\s?{sign}))"
            r"(?P<gap>\s*)(?=\S)"
        )
        match = next(
            (
                match
                for match in following.finditer(text, begin)
                if (is_tight or match["gap"] or mark[-1] != "." or not text[match.end()].isdigit())
                and text[begin : match.start()].strip()
                and not any(start < match.start() < end for start, end in formulas)
            ),
            None,
        )
        answer = text[begin : match.start() if match else len(text)].strip(" ;,，；\u2003")
        found.append((mark, answer))
        if match is None:
            break
        mark, begin = match["next"] or match["later"], match.end()
    if len(found) < (3 if is_tight and first["mark"].endswith(".") else 2):
        return []
    return [] if max(len(answer) for _, answer in found) > _SHORT else found


def full_text(line: Line) -> str:
    """Return a line as it stands, its number before its text."""
    return f"{line.number} {line.text}".strip()


def row_cells(text: str) -> list[str] | None:
    """Return the cells of a row of a table in our notation; None where a text is none."""
    if not (text.startswith("|") and text.endswith("|") and len(text) > 2):
        return None
    return [cell.strip() for cell in text[1:-1].split("|")]


def listed_answers(text: str) -> list[tuple[int, str]]:
    """Return the answers that one line lists, by the numbers of their questions; empty where it does something else.

    >>> listed_answers("1-3 BCD  4. A"), listed_answers("1. B  2. C"), listed_answers("1. B because 2 < 3")
    ([(1, 'B'), (2, 'C'), (3, 'D'), (4, 'A')], [(1, 'B'), (2, 'C')], [])
    """
    found: list[tuple[int, str]] = []
    rest = text.strip()
    while rest:
        if match := _RANGE.match(rest):
            first, last = int(match[1]), int(match[2])
            letters = re.findall(r"[A-HTF√×对错]", match[3])
            if last - first + 1 != len(letters):
                return []
            found += zip(range(first, last + 1), letters, strict=True)
            rest = rest[match.end() :].lstrip(" \u2003;；.。,，")
        elif match := _PAIR.match(rest):
            found.append((int(match[1]), ", ".join(match[2].upper()) if len(match[2]) < 4 else match[2]))
            rest = rest[match.end() :]
        else:
            break
    if not rest:
        return found
    return [(0, letter) for letter in re.findall("[A-H]", text)] if _SEQUENCE.fullmatch(text.strip()) else []
