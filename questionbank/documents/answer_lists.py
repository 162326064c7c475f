"""Where a paper's list of answers stands: under a title, or at the end, where nothing but answers follows."""

from __future__ import annotations

from collections.abc import Sequence

from questionbank.documents.key_rows import (
    counted_answers,
    full_text,
    key_row,
    listed_answers,
    row_cells,
    table_cells,
)
from questionbank.documents.keys import TITLE_AND_LIST
from questionbank.documents.marks import Mark
from questionbank.documents.paper import Line
from questionbank.documents.phrases import (
    ANSWER,
    ANSWER_COLUMN,
    BLANK,
    KEY_TITLE,
    NUMBER_COLUMN,
    SECTION,
    TASK,
)

_FEWEST = 3  # answers at the end of a paper that make a list without a title
_SHORT = 40


def answer_list(lines: Sequence[Line], marks: Sequence[Mark | None]) -> frozenset[int]:
    """Return the lines of the list of answers, its title included; empty where there is none."""
    found: set[int] = set()
    place = 0
    while place < len(lines):
        if _is_title(place, lines, marks):
            end = _end(place, lines, marks)
            found |= {*range(place, end)}
            place = end
        else:
            place += 1
    return frozenset(found) if found else _at_the_end(lines, marks)


def _table_at_the_end(lines: Sequence[Line]) -> frozenset[int]:
    """Return the rows of a last table whose header names numbers and answers."""
    start = len(lines)
    while start and row_cells(lines[start - 1].text) is not None:
        start -= 1
    for place in range(start, len(lines) - 1):
        if is_key_header(row_cells(lines[place].text) or [""]):
            return frozenset(range(place, len(lines)))
    return frozenset()


def is_key_header(cells: Sequence[str]) -> bool:
    """Return whether the cells of a row name the columns of a list of answers: numbers first, then answers."""
    first, *others = (cell.strip(" *") for cell in cells)
    return (
        NUMBER_COLUMN.fullmatch(first) is not None
        and any(map(ANSWER_COLUMN.fullmatch, others))
        and not any(map(NUMBER_COLUMN.fullmatch, others))  # "No., Question, Answer" holds questions
    )


def _is_title(place: int, lines: Sequence[Line], marks: Sequence[Mark | None]) -> bool:
    line = lines[place]
    title = TITLE_AND_LIST.match(full_text(line))
    if title and len(listed_answers(full_text(line)[title.end() :])) > 1:
        return True
    if len(line.text) > 80 or line.is_joined or not KEY_TITLE.fullmatch(line.text.replace("**", "")):
        return False
    mark = marks[place]
    if mark is not None and mark.kind not in ("han", "upper", "Roman"):
        return False
    highest = max(
        (
            mark.value
            for mark in marks[:place]
            if mark is not None and mark.kind in ("digits", "word") and mark.series != "digits-"
        ),
        default=0,
    )
    for ahead in range(place + 1, min(place + 5, len(lines))):
        text = full_text(lines[ahead])
        mark = marks[ahead]
        if listed_answers(text) or counted_answers(text) or table_cells(text) or row_cells(text) is not None:
            return True
        if mark is not None and mark.series == "digits()" and _counts_otherwise(marks[:place]):
            # otherwise the answers of one question's parts
            return (
                sum(later is not None and later.series == "digits()" for later in marks[ahead:]) * 2 > highest
            )
        if mark is not None and mark.kind in ("digits", "word"):
            return mark.value <= max(1, highest) and not (mark.value == highest + 1 and highest > 0)
        row = key_row(text.replace("**", "")) if mark is None or mark.series == "lower()" else None
        if row is not None and row.number <= max(1, highest):
            return True
        if mark is not None and mark.kind in ("upper", "lower"):
            return False
    return False


def _counts_otherwise(marks: Sequence[Mark | None]) -> bool:
    """Return whether questions are numbered by other marks than numbers in brackets."""
    return any(
        mark is not None and mark.kind in ("digits", "word") and mark.series not in ("digits()", "digits-")
        for mark in marks
    )


def _end(title: int, lines: Sequence[Line], marks: Sequence[Mark | None]) -> int:
    """Return where questions go on behind a list of answers: at a heading, or where options follow numbers again."""
    for place in range(title + 1, len(lines)):
        if (
            lines[place].heading
            and lines[place].heading <= max(1, lines[title].heading)
            and _options_follow(place, lines, marks)
        ):
            return place
    return len(lines)


def _options_follow(place: int, lines: Sequence[Line], marks: Sequence[Mark | None]) -> bool:
    options = 0
    for ahead in range(place + 1, min(place + 16, len(lines))):
        mark = marks[ahead]
        options += mark is not None and mark.kind == "upper" and not mark.answer and bool(lines[ahead].text)
    return options >= 3


def _at_the_end(lines: Sequence[Line], marks: Sequence[Mark | None]) -> frozenset[int]:
    """Return the last lines where they are answers and nothing else, and count anew."""
    start = len(lines)
    values: list[int] = []
    while start:
        line, mark = lines[start - 1], marks[start - 1]
        listed = listed_answers(full_text(line))
        if listed:
            values = [number for number, _ in listed] + values
        elif (
            mark is not None
            and mark.kind in ("digits", "word")
            and 0 < len(line.text) <= _SHORT
            and ANSWER.match(line.text)
        ):
            values = [mark.value, *values]
        else:
            break
        start -= 1
    before = [mark.value for mark in marks[:start] if mark is not None and mark.kind in ("digits", "word")]
    if not values:
        return _table_at_the_end(lines) or _untitled(lines, marks)
    counts_anew = bool(values) and bool(before) and values[0] <= 1 and 2 <= max(before) <= 2 * len(values)
    return frozenset(range(start, len(lines))) if len(values) >= _FEWEST and counts_anew else frozenset()


def _untitled(lines: Sequence[Line], marks: Sequence[Mark | None]) -> frozenset[int]:
    """Return the last lines where they count anew, are as many as the questions, and none asks anything."""
    numbers = [
        mark.value
        if mark is not None and mark.kind in ("digits", "word") and mark.series != "digits()"
        else 0
        for mark in marks
    ]
    start = len(lines) - 1
    if start < _FEWEST:
        return frozenset()
    while start > 1 and numbers[start] != 1:
        line = lines[start]
        if line.heading or len(line.text) > _SHORT or _asks(line):
            return frozenset()
        start -= 1
    said = [number for number in numbers[start:] if number]
    above = lines[start - 1]
    is_titled = bool(above.heading or SECTION.fullmatch(full_text(above)))
    fits = len(said) >= _FEWEST and max(said) == max(numbers[:start], default=0)
    return (
        frozenset(range(start, len(lines)))
        if fits and not is_titled and not _asks(lines[start])
        else frozenset()
    )


def _asks(line: Line) -> bool:
    text = line.text
    return bool(
        TASK.match(text)
        or BLANK.search(text)
        or "?" in text
        or "？" in text
        or text.endswith(("=", ":", "："))
    )
