"""Find where a paper's list of answers may be: below a title, or at the end if only answers follow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import groupby

from questionbank.papers.alignment import listed_numbers
from questionbank.papers.answer_tables import is_answer_table
from questionbank.papers.keys import full_text, row_cells
from questionbank.papers.marks import GAP, Mark
from questionbank.papers.paper import Line
from questionbank.papers.phrases import ANSWER, ANSWER_COLUMN, BLANK, KEY_TITLE, NUMBER_COLUMN, SECTION, SOLUTION, TASK
from questionbank.papers.point_phrases import POINTS

_FEWEST = 3  # minimum number of answers at the end of a paper that count as a list without a title
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


def answer_lists(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Iterator[list[frozenset[int]]]:
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
    return (
        NUMBER_COLUMN.fullmatch(first) is not None
        and any(map(ANSWER_COLUMN.fullmatch, others))
        and not any(map(NUMBER_COLUMN.fullmatch, others))  # "No., Question, Answer" contains questions
    )


def _is_title(place: int, lines: Sequence[Line], marks: Sequence[Mark | None]) -> bool:
    line, mark = lines[place], marks[place]
    text = line.text.replace("**", "").replace("*", "")
    if len(text) > _LONGEST_TITLE or (mark is not None and mark.kind not in ("han", "upper", "Roman")):
        return False
    follows = lines[place + 1 : place + 5]
    first = next((below for below in marks[place + 1 : place + 2] if below is not None), None)
    is_lettered = first is not None and first.kind in ("lower", "roman", "upper")
    if not follows or is_lettered:
        return False  # the solution of one question, part by part
    if ANSWER.fullmatch(text) or SOLUTION.fullmatch(text):  # of one question, unless a number follows
        return (first is not None and first.kind in ("digits", "word", "levels")) or (
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


def tables_of_answers(lines: Sequence[Line], marks: Sequence[Mark | None]) -> Iterator[frozenset[int]]:
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
        if is_key_header(rows[at]) or is_answer_table(rows, _numbers(marks[:table]), is_titled=is_titled):
            yield frozenset(range(start, places[-1] + 1))


def _numbers(marks: Sequence[Mark | None]) -> list[str]:
    """Return the question numbers found in the marks, without punctuation."""
    return [mark.label for mark in marks if mark is not None and mark.kind in ("digits", "word", "levels")]


def _is_name(line: Line, mark: Mark | None) -> bool:
    """Return whether a line above a table of answers is its title."""
    text = full_text(line)
    is_short = len(text) <= _SHORT and not _asks(line) and (mark is None or mark.kind == "word-")
    return is_short and bool(KEY_TITLE.fullmatch(text) or line.heading or line.is_marked)


def _at_the_end(lines: Sequence[Line], marks: Sequence[Mark | None]) -> list[frozenset[int]]:
    """Return candidate lists at the end of a paper, where the numbers may restart and no line asks or gives points.

    A list begins at the number 1 or below a possible title, in any language.
    """
    numbers = [_counted(mark) for mark in marks]
    found: list[frozenset[int]] = []
    for start, listed, said in _beginnings(lines, numbers):
        title, is_unnumbered = lines[start - 1], marks[start - 1] is None
        stands_out = is_unnumbered and (title.is_marked or title.heading > 0)
        is_first = 1 in (numbers[start], *listed[:1])
        if not stands_out and not is_first:
            continue
        above = {value: place for place, value in enumerate(numbers[:start]) if value}
        if (
            (is_first or said <= above.keys())
            and _answers_most(said, above, stands_out=stands_out)
            and (listed or _are_short(lines[start:]) or _mostly_ask([lines[at] for at in above.values()]))
        ):
            is_titled = stands_out or (is_unnumbered and _may_be_title(title.text))
            found.append(frozenset(range(start - is_titled, len(lines))))
    return found[-_MOST_ENDS:]


def _counted(mark: Mark | None) -> int:
    """Return the number of a question or an answer; 0 for any other kind of mark."""
    is_number = mark is not None and mark.kind in ("digits", "word") and mark.series != "digits()"
    return mark.value if mark is not None and is_number else 0


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


def _are_short(lines: Sequence[Line]) -> bool:
    return all(len(line.text) <= _SHORT for line in lines)


def _mostly_ask(lines: Sequence[Line]) -> bool:
    return 2 * sum(map(_asks_or_gives, lines)) > len(lines)


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
