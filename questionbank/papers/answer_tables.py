"""Tables of answers: a column of question numbers in order, with answers, working or marks beside it.

The header matters little: question numbers in order make a table a list of answers or a marking scheme. A table may
have several such columns side by side; a row without a number continues the one above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from questionbank.papers.marks import GAP, read_mark, take_mark
from questionbank.papers.phrases import ANSWER_COLUMN, BLANK, NUMBER_COLUMN, TASK
from questionbank.papers.point_phrases import POINTS_ALONE

_LABEL = re.compile(
    r"(?:Q(?:n|uestion)?\.?|No\.?|第)?\s?(?P<name>(?P<number>\d{1,3})(?:\.\d{1,2}){0,2})\s?[.)、．:题]?"
    r"\s?(?:[(]?(?P<part>[a-h])[).]{0,2}\s*(?:[(]?(?P<roman>[ivx]{1,4})[).]?)?)?",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"\W*(?:(?:[MABCDEPSQ]{1,3}\d?|\d{1,2}|[✓✔√])(?:\s*(?:mks?|marks?|pts?|points?|p)\b\.?)?(?:[\s,;+/)(\]\[]+|$)|[✓✔√])+",
    re.IGNORECASE,
)
_MARKS_COLUMN = re.compile(
    r"(?:total )?(?:marks?|mks?|points?|pts?|punkte|barème|puntos|punkty|分值)(?: \w+)?\.?", re.IGNORECASE
)
_WORKING_COLUMN = re.compile(
    r"(?:work(?:ing|ed|ings)?|solution|answer|ans|response|expected|scheme|explanation|key|memo|rechenweg|odpowied\w+)\b.*",
    re.IGNORECASE,
)
_REMARKS_COLUMN = re.compile(r"(?:remarks?|comments?|notes?|guidance)\b.*", re.IGNORECASE)
_TICKS = re.compile(r"\s*[✓✔]+")
_RESULT = re.compile(r"(?P<opening>\$?)\s*(?:[^\W\d_]{3,}\s*)?[=＝]\s*(?=[^=＝]+$)")
_WORKS = re.compile(r"[=＝≈⇒→÷×]|\\(?:times|frac|approx|Rightarrow)")
_ASSIGNED = re.compile(r"\$?\s*[^\W\d](?:_?\w)?(?:\([a-z]\))?\s*[=<>≤≥][^=]+(?:\b(?:or|and)\b[^=]+=[^=]+)?$")
_FEWEST = 3  # minimum number of question numbers that make a table a list


@dataclass(frozen=True, slots=True)
class Label:
    """A question's number in a table, the letter and numeral of its part, and the number as printed: ``4.2.1``."""

    number: int
    part: str
    name: str
    roman: str

    @property
    def levels(self) -> tuple[int, ...]:
        """Its numbers as a tuple, for sorting."""
        return tuple(map(int, self.name.split(".")))


@dataclass(slots=True)
class TableAnswer:
    """What the rows of a table give for one question.

    Attributes:
        rows: indices of its rows in the table.
        texts: lines from the answer column, without marks.
        notes: lines from the other columns.
    """

    label: Label
    rows: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Columns:
    numbers: int
    answers: int
    notes: tuple[int, ...]


def label_of(cell: str) -> Label | None:
    """Return the question number in a cell; None if the cell contains anything else.

    >>> label_of("4.2.1").name, label_of("Q3(b)").part, label_of("12 cm")
    ('4.2.1', 'b', None)
    """
    match = _LABEL.fullmatch(cell.strip("* "))
    if match is None:  # "Exercise 3"
        mark_text, rest = take_mark(cell.strip("* "))
        mark = read_mark(mark_text)
        is_word = mark is not None and mark.kind == "word" and not rest
        return Label(mark.value, "", str(mark.value), "") if mark is not None and is_word else None
    part = (match["part"] or "").lower()
    return Label(int(match["number"]), part, match["name"], (match["roman"] or "").lower())


def is_answer_table(rows: Sequence[Sequence[str]], numbers: Sequence[str], *, is_titled: bool) -> bool:
    """Return whether a table answers the questions above it and asks nothing itself.

    Without a title, its header or marks such as M1 must show this, and it must name most of the questions.

    Args:
        numbers: all numbers above the table, as printed without punctuation: ``"3"``, ``"4.2"``.
        is_titled: whether a title of answers is above the table.
    """
    groups = _groups(rows)
    if not groups or _asks(rows):
        return False
    named = {label.name for group in groups for label in _column(rows, group.numbers) if label}
    shared = len(named & {*numbers})
    if 2 * shared < len(named):
        return False
    says_so = (is_head(rows) and _says_what(rows[0])) or _has_marks(rows)
    return is_titled or (says_so and shared >= _FEWEST and 3 * shared >= 2 * len({*numbers}))


def is_numbered_down(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the question numbers of a table clearly run down its first column and not along its first row."""
    if not _groups(rows):
        return False
    if is_head(rows) and _says_what(rows[0]):
        return True
    across = [label.number for label in map(label_of, rows[0]) if label is not None]
    is_across = len(across) >= _FEWEST and across == [*range(across[0], across[0] + len(across))]
    return not is_across and sum(label is not None for label in _column(rows, 0)) >= _FEWEST


def is_head(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row of a table holds column headers rather than a question."""
    return bool(rows) and bool(rows[0]) and label_of(rows[0][0]) is None and any(rows[0])


def table_answers(rows: Sequence[Sequence[str]]) -> list[TableAnswer]:
    """Return a table's answers, in the order of its columns and rows; empty if it has no question numbers."""
    found: list[TableAnswer] = []
    for columns in _groups(rows, fewest=1):
        found += _read(rows, columns)
    return found


def _read(rows: Sequence[Sequence[str]], columns: _Columns) -> Iterator[TableAnswer]:
    answer: TableAnswer | None = None
    for place, row in enumerate(rows):
        first = _cell(row, columns.numbers)
        label = label_of(first)
        part, rest = take_mark(first)
        mark = read_mark(part)
        if label is not None:
            if answer is not None:
                yield answer
            answer = TableAnswer(label)
            part = f"({label.roman})" if label.roman else ""
        elif answer is None or (first and mark is None) or (place == 0 and is_head(rows)):
            continue
        lines = _lines(_cell(row, columns.answers))
        if (label is None and mark is not None and mark.kind in ("lower", "roman")) or (label and part):
            rest = "" if label else rest  # "(b)" below "2 (a)"
            lines = [f"{part} {' '.join([rest, *lines[:1]]).strip()}", *lines[1:]]
        notes = [line for column in columns.notes for line in _lines(_cell(row, column))]
        if label is None and not lines and not notes:
            continue
        answer.rows.append(place)
        answer.texts += lines
        answer.notes += notes
    if answer is not None:
        yield answer


def concluding(texts: Sequence[str]) -> str:
    """Return the answer at the end of working, or all lines if they are not working; empty if unclear.

    >>> concluding(["30/2", "= 15 cm"]), concluding(["No,", "they differ"]), concluding(["2x = 4", "9 - 3 = 6, x = 2"])
    ('15 cm', 'No, they differ', '')
    """
    *steps, last = texts
    if match := _RESULT.match(last):
        return f"{match['opening']}{last[match.end() :]}"
    if not any(_WORKS.search(text) for text in steps):
        return " ".join(text if text.endswith((",", ":")) else f"{text};" for text in texts).rstrip(";")
    return last if not _WORKS.search(last) or _ASSIGNED.match(last) else ""


def _lines(cell: str) -> list[str]:
    """Return the lines of a cell without ticks and without lines of marks."""
    lines = [_TICKS.sub("", line).strip() for line in cell.split(GAP) if line.strip()]
    return [line for line in lines if line and (len(lines) == 1 or not _is_given(line))]


def _is_given(line: str) -> bool:
    """Return whether a line of working consists only of marks: "M1 A1"."""
    return _MARKS.fullmatch(line) is not None and re.search(r"[MABCS]\d", line) is not None


def _groups(rows: Sequence[Sequence[str]], fewest: int = 2) -> list[_Columns]:
    """Return a table's number columns, each with the columns that belong to it.

    Args:
        fewest: minimum of different numbers in the first column; from two on they must increase.
    """
    body = rows[1:] if is_head(rows) else rows
    width = max(map(len, rows), default=0)
    first = _column(body, 0)
    if not (_counts(first) if fewest > 1 else any(first)):
        return []
    starts = [0]
    for column in range(2, width - 1):
        if column - starts[-1] > 1 and _goes_on(_column(body, starts[-1]), _column(body, column)):
            starts.append(column)
    ends = [*starts[1:], width]
    groups = [_group(rows, start, end) for start, end in zip(starts, ends, strict=True)]
    return [group for group in groups if group is not None]


def _group(rows: Sequence[Sequence[str]], start: int, end: int) -> _Columns | None:
    head = rows[0] if is_head(rows) else []
    body = rows[1:] if head else rows
    names = {column: _cell(head, column).strip("* ") for column in range(start + 1, end)}
    others = [column for column in names if any(_cell(row, column) for row in body)]
    others = [column for column in others if not _MARKS_COLUMN.fullmatch(names[column])]
    answers = [column for column in others if ANSWER_COLUMN.fullmatch(names[column])]
    plain = [column for column in others if not _REMARKS_COLUMN.fullmatch(names[column])]
    if not plain:
        return None
    chosen = answers[0] if len(answers) == 1 else plain[0]
    notes = [column for column in others if column != chosen and not _are_marks(body, column)]
    return _Columns(start, chosen, tuple(notes))


def _are_marks(rows: Sequence[Sequence[str]], column: int) -> bool:
    cells = [_cell(row, column) for row in rows if _cell(row, column)]
    return all(_MARKS.fullmatch(cell) or POINTS_ALONE.fullmatch(cell) for cell in cells)


def _has_marks(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the last column contains marks such as M1 and A1."""
    body = rows[1:] if is_head(rows) else rows
    last = max(map(len, rows)) - 1
    given = any(re.search(r"[MAB]\d", _cell(row, last)) for row in body)
    return last > 1 and given and _are_marks(body, last)


def _says_what(head: Sequence[str]) -> bool:
    _first, *others = (cell.strip("* ") for cell in head)
    names = (ANSWER_COLUMN, _WORKING_COLUMN, _MARKS_COLUMN)
    return any(name.fullmatch(cell) for cell in others for name in names) and not any(
        map(NUMBER_COLUMN.fullmatch, others)
    )


def _asks(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table asks questions, in its cells or in a column of questions."""
    head = rows[0] if is_head(rows) else []
    if any(map(NUMBER_COLUMN.fullmatch, (cell.strip("* ") for cell in head[1:]))):
        return True
    asking = sum(any("?" in cell or TASK.match(cell) or BLANK.search(cell) for cell in row[1:]) for row in rows)
    return asking * 4 > len(rows)


def _counts(labels: Sequence[Label | None]) -> bool:
    """Return whether most cells of a column are numbers in increasing order."""
    levels = [label.levels for label in labels if label is not None]
    return (
        len({*levels}) > 1
        and all(after >= before or after <= levels[0] for before, after in pairwise(levels))
        and 3 * len(levels) >= 2 * len(labels)
    )


def _goes_on(before: Sequence[Label | None], labels: Sequence[Label | None]) -> bool:
    """Return whether a column continues another column's numbers, from its end or row by row."""
    numbers = [label.number for label in labels if label is not None]
    if len(numbers) < len(labels) or not numbers:
        return False
    above = [label.number for label in before if label is not None]
    return numbers in ([*range(above[-1] + 1, above[-1] + 1 + len(numbers))], [one + 1 for one in above])


def _column(rows: Sequence[Sequence[str]], column: int) -> list[Label | None]:
    """Return the labels of a column, None for other cells; empty cells and parts are skipped."""
    cells = [_cell(row, column) for row in rows]
    return [label_of(cell) for cell in cells if cell and not _is_part(cell)]


def _is_part(cell: str) -> bool:
    mark = read_mark(take_mark(cell)[0])
    return mark is not None and mark.kind in ("lower", "roman") and label_of(cell) is None


def _cell(row: Sequence[str], column: int) -> str:
    return row[column].strip() if 0 <= column < len(row) else ""
