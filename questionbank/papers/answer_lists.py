"""Find where a paper's list of answers may be: below a title, in a table, or at the end if only answers follow.

In a table the header matters little: question numbers in order, with answers, working or marks beside them, make it a
list of answers or a marking scheme. A table may have several such columns side by side; a row without a number
continues the one above.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby, pairwise

from questionbank.papers.answer_alignment import listed_numbers
from questionbank.papers.marks import COUNTING_KINDS, GAP, NO_MARK, Mark, read_mark, take_mark
from questionbank.papers.paper_lines import Line, full_text, row_cells
from questionbank.papers.phrases import ANSWER, ANSWER_COLUMN, BLANK, KEY_TITLE, NUMBER_COLUMN, SECTION, SOLUTION, TASK
from questionbank.papers.points import POINTS, POINTS_ALONE

_CELL_LABEL = re.compile(
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
_FEWEST = 3  # minimum number of answers for a table, or the end of a paper, to be a list without a title


@dataclass(frozen=True, slots=True)
class Label:
    """A question's number in a table, the letter and numeral of its part, and the number as printed: ``4.2.1``."""

    number: int
    part: str
    name: str
    roman: str


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
    match = _CELL_LABEL.fullmatch(cell.strip("* "))
    if match is None:  # "Exercise 3"
        mark_text, rest = take_mark(cell.strip("* "))
        mark = read_mark(mark_text)
        return Label(mark.value, "", str(mark.value), "") if mark.kind == "word" and not rest else None
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
    if not groups or _table_asks(rows):
        return False
    named = {label.name for group in groups for label in _labels_in(rows, group.numbers) if label}
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
    return not is_across and sum(label is not None for label in _labels_in(rows, 0)) >= _FEWEST


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
        elif answer is None or (first and not mark) or (place == 0 and is_head(rows)):
            continue
        lines = _lines(_cell(row, columns.answers))
        if (label is None and mark.kind in ("lower", "roman")) or (label and part):
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
        fewest: minimum number of different numbers in the first column; if above 1, they must increase.
    """
    body = rows[1:] if is_head(rows) else rows
    width = max(map(len, rows), default=0)
    first = _labels_in(body, 0)
    if not (_counts(first) if fewest > 1 else any(first)):
        return []
    starts = [0]
    for column in range(2, width - 1):
        if column - starts[-1] > 1 and _goes_on(_labels_in(body, starts[-1]), _labels_in(body, column)):
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


def _table_asks(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table asks questions, in its cells or in a column of questions."""
    head = rows[0] if is_head(rows) else []
    if any(map(NUMBER_COLUMN.fullmatch, (cell.strip("* ") for cell in head[1:]))):
        return True
    asking = sum(any("?" in cell or TASK.match(cell) or BLANK.search(cell) for cell in row[1:]) for row in rows)
    return asking * 4 > len(rows)


def _counts(labels: Sequence[Label | None]) -> bool:
    """Return whether most cells of a column are numbers in increasing order."""
    levels = [tuple(map(int, label.name.split("."))) for label in labels if label is not None]
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


def _labels_in(rows: Sequence[Sequence[str]], column: int) -> list[Label | None]:
    """Return the labels of a column, None for other cells; empty cells and parts are skipped."""
    cells = [_cell(row, column) for row in rows]
    return [label_of(cell) for cell in cells if cell and not _is_part(cell)]


def _is_part(cell: str) -> bool:
    mark = read_mark(take_mark(cell)[0])
    return mark.kind in ("lower", "roman") and label_of(cell) is None


def _cell(row: Sequence[str], column: int) -> str:
    return row[column].strip() if 0 <= column < len(row) else ""


# -- where lists are ---------------------------------------------------------------------------------------------------


_SHORT = 40
_LONGEST_TITLE = 80
_MOST_WORDS = 5  # in a title that contains nothing else
_MOST_ENDS = 5
_MOST_TITLES = 8  # each one costs several passes over the document
_LONG = 5_000  # lines; in a longer document the list of answers runs to the end
_NAMED = re.compile(
    r"(?!\W*(?:choose|circle|select|tick|mark|pick|write|give)\b"
    r"|\W*answer (?:any|all|the|each|both|only|one|two|three|in|on|as)\b)"
    r"\W*[^.?!。？]{0,60}\b(?:answers?|keys?|solutions?|mark(?:ing)? scheme|lösungen|corrigé|réponses|respuestas"
    r"|soluciones)\b[^.?!]{0,40}[:：)]?\W*|[^。？?]{0,30}答案.{0,20}",
    re.IGNORECASE,
)


def answer_lists(lines: Sequence[Line], marks: Sequence[Mark]) -> Iterator[list[frozenset[int]]]:
    """Yield, for each possible list of answers, the candidate sets of its lines."""
    titles = [place for place in range(len(lines)) if _is_title(place, lines, marks)]
    for title in titles[-_MOST_TITLES:]:
        yield [frozenset(range(title, end)) for end in _ends(title, lines)]
    if at_the_end := _at_the_end(lines, marks):
        yield at_the_end
    for table in tables_of_answers(lines, marks):
        yield [table]


def is_key_header(cells: Sequence[str]) -> bool:
    """Return whether a row's cells are the column headers of a list of answers: numbers first, then answers."""
    first, *others = (cell.strip(" *") for cell in cells)
    if not NUMBER_COLUMN.fullmatch(first) or any(map(NUMBER_COLUMN.fullmatch, others)):
        return False  # "No., Question, Answer" contains questions
    return any(map(ANSWER_COLUMN.fullmatch, others))


def _is_title(place: int, lines: Sequence[Line], marks: Sequence[Mark]) -> bool:
    line, mark = lines[place], marks[place]
    text = line.text.replace("**", "").replace("*", "")
    if len(text) > _LONGEST_TITLE or (mark and mark.kind not in ("han", "upper", "Roman")):
        return False
    follows = lines[place + 1 : place + 5]
    first = next(iter(marks[place + 1 : place + 2]), NO_MARK)
    is_lettered = first.kind in ("lower", "roman", "upper")
    if not follows or is_lettered:
        return False  # the solution of one question, part by part
    if ANSWER.fullmatch(text) or SOLUTION.fullmatch(text):  # of one question, unless a number follows
        return first.kind in COUNTING_KINDS or (
            len(listed_numbers(full_text(follows[0]))) > 1
            or row_cells(follows[0].text) is not None
            or (full_text(follows[0])[:1].isdigit() and not follows[0].is_joined)
        )
    if KEY_TITLE.fullmatch(text):
        return any(sign.isdigit() for below in follows for sign in full_text(below))
    paragraph = [full_text(follows[0]), *(full_text(below) for below in follows[1:] if below.is_joined)]
    is_list = len(listed_numbers(GAP.join(paragraph))) > 1 or row_cells(follows[0].text) is not None
    return _NAMED.fullmatch(text) is not None and is_list


def _ends(title: int, lines: Sequence[Line]) -> Iterator[int]:
    """Yield where questions may resume after a list of answers: at a heading, or at the end of the paragraph."""
    yield len(lines)
    if len(lines) > _LONG:
        return
    found = 0
    for place in range(title + 1, len(lines)):
        line = lines[place]
        is_head = line.heading or SECTION.fullmatch(full_text(line)) or (line.is_marked and not line.number)
        ends_paragraph = place > title + 1 and lines[place - 1].is_joined and not line.is_joined and not found
        if place > title + 1 and ((is_head and not line.is_joined) or ends_paragraph):
            found += 1
            yield place
        if found >= _MOST_ENDS:
            return


def tables_of_answers(lines: Sequence[Line], marks: Sequence[Mark]) -> Iterator[frozenset[int]]:
    """Yield the rows of each table that answers questions above it, including the table's titles."""
    for is_row, group in groupby(range(len(lines)), lambda place: row_cells(lines[place].text) is not None):
        places = [*group]
        if not is_row or len(places) < 2:
            continue
        rows = [row_cells(lines[place].text) or [""] for place in places]
        at = next((at for at, row in enumerate(rows[:-1]) if is_key_header(row)), 0)
        start = table = places[at]
        while start and _is_name(lines[start - 1], marks[start - 1]):
            start -= 1
        is_titled = any(KEY_TITLE.fullmatch(full_text(line)) for line in lines[start:table])
        numbers = [mark.label for mark in marks[:table] if mark.kind in COUNTING_KINDS]
        if is_key_header(rows[at]) or is_answer_table(rows, numbers, is_titled=is_titled):
            yield frozenset(range(start, places[-1] + 1))


def _is_name(line: Line, mark: Mark) -> bool:
    """Return whether a line above a table of answers is its title."""
    text = full_text(line)
    is_short = len(text) <= _SHORT and not _asks(line) and mark.kind in ("", "word-")
    return is_short and bool(KEY_TITLE.fullmatch(text) or line.heading or line.is_marked)


def _at_the_end(lines: Sequence[Line], marks: Sequence[Mark]) -> list[frozenset[int]]:
    """Return candidate lists at the end of a paper, where the numbers may restart and no line asks or gives points.

    A list begins at the number 1 or below a possible title, in any language.
    """
    numbers = [_counted(mark) for mark in marks]
    found: list[frozenset[int]] = []
    for start, listed, said in _beginnings(lines, numbers):
        title, is_unnumbered = lines[start - 1], not marks[start - 1]
        stands_out = is_unnumbered and (title.is_marked or title.heading > 0)
        is_first = 1 in (numbers[start], *listed[:1])
        if not stands_out and not is_first:
            continue
        above = {value: place for place, value in enumerate(numbers[:start]) if value}
        if (
            (is_first or said <= above.keys())
            and _answers_most(said, above, stands_out=stands_out)
            and (
                listed
                or all(len(line.text) <= _SHORT for line in lines[start:])
                or 2 * sum(_asks_or_gives(lines[at]) for at in above.values()) > len(above)
            )
        ):
            is_titled = stands_out or (is_unnumbered and _may_be_title(title.text))
            found.append(frozenset(range(start - is_titled, len(lines))))
    return found[-_MOST_ENDS:]


def _counted(mark: Mark) -> int:
    """Return the number of a question or an answer; 0 for any other kind of mark."""
    return mark.value if mark.kind in ("digits", "word") and mark.series != "digits()" else 0


def _beginnings(lines: Sequence[Line], numbers: Sequence[int]) -> Iterator[tuple[int, list[int], set[int]]]:
    """Yield possible starts of a list, from the end up: start, numbers in its first line, all numbers from there."""
    said: set[int] = set()
    last = max(numbers, default=0) + 1
    for start in range(len(lines) - 1, max(0, len(lines) - _LONG), -1):
        listed = listed_numbers(full_text(lines[start]))
        if not listed and _asks_or_gives(lines[start]):
            return
        said |= {number for number in (*listed, numbers[start]) if 0 < number <= last}
        if len(said) < _FEWEST or not (listed or numbers[start]):
            continue
        if SECTION.fullmatch(full_text(lines[start - 1])):
            return
        yield start, listed, said


def _answers_most(said: Set[int], above: Mapping[int, int], *, stands_out: bool) -> bool:
    """Return whether a list has about as many numbers as the questions above it, and reaches as far."""
    highest = max(above, default=0)
    is_enough = 2 * len(said) >= highest >= 2 or (stands_out and max(said) == highest)
    return is_enough and highest <= max(said) + 1


def _asks_or_gives(line: Line) -> bool:
    """Return whether a line asks something or gives points, which no answer does."""
    return _asks(line) or POINTS.search(line.text) is not None


def _may_be_title(text: str) -> bool:
    """Return whether a line above a list of answers may be its title, in any language."""
    text = text.strip("=-–—_*# ")
    is_plain = bool(text) and not re.search(r"[?？=_|\d$]|!\[", text) and (text.endswith(":") or not TASK.match(text))
    return is_plain and len(text.split()) <= _MOST_WORDS and len(text) <= _SHORT


def _asks(line: Line) -> bool:
    text = line.text
    return not ANSWER.match(text) and bool(
        TASK.match(text) or BLANK.search(text) or "?" in text or "？" in text or text.endswith(("=", ":", "："))
    )
