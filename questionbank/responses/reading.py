"""Tables of responses: a row per response, a row per pupil, and the reports of Moodle and Canvas.

Nothing is dropped in silence: a cell or row that cannot be used becomes a problem with its line number. Problems do not
name pupils.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from questionbank.core.errors import ImportRefused
from questionbank.responses.published_figures import read_published
from questionbank.responses.response_table import ResponseRow, ResponseTable
from questionbank.responses.table_cells import (
    PERSON_ROLES,
    UNANSWERED,
    UNFINISHED,
    CellTable,
    QuestionColumns,
    QuestionReference,
    Role,
    canvas_columns,
    is_long,
    is_published,
    looks_like_mark,
    moodle_columns,
    number_of,
    parse_mark,
    parse_score,
    parse_seconds,
    parse_verdict,
    person_key,
    read_table,
    role_of,
    wide_columns,
)

_SUMMARIES = frozenset(
    "average | overall average | mean | median | total | sum | facility | gesamtdurchschnitt | durchschnitt"
    " | mittelwert | promedio general | moyenne".split(" | ")
)
_MAXIMA = frozenset("maximum | maximum mark | maximum marks | out of | points possible | possible".split(" | "))
_KEYS = frozenset("key | answer key | answers | right answer | right answers | lösung | lösungen".split(" | "))
_ABOUT_TABLE = _SUMMARIES | _MAXIMA | _KEYS
_VARIANT = re.compile(r"[A-Za-z]?\d{0,6}")
LEAST_FOR_A_TOTAL = 3  # rows, different sums and other columns from which a column of sums counts as a total
SURE_OF_A_TOTAL = 5  # rows from which two other columns are enough
_ROUNDED = 0.006  # share of the largest value by which rounding changes a per cent


def read_responses(path: Path) -> ResponseTable:
    """Read a file of responses.

    Raises:
        ImportRefused: the file cannot be read, or holds no responses.
    """
    return read_cells(read_table(path), path.name)


def read_cells(cells: CellTable, name: str) -> ResponseTable:
    """Return the responses of a table of cells.

    Args:
        name: what the table is called where it is refused.

    Raises:
        ImportRefused: it holds no responses.
    """
    if is_published(cells.header):
        table = read_published(cells)
    else:
        roles = [role_of(name) for name in cells.header]
        reader = _LongReader if is_long(roles) else _WideReader
        table = reader(cells, roles).read()
    table.problems.sort(key=lambda problem: problem.line)
    if not table.rows and not table.published:
        raise ImportRefused(f"{name} holds no responses that can be read.", table.problems)
    return table


_Pupil = tuple[int, str, list[str]]
"""Line, pupil and cells of a row."""


def _cell(cells: Sequence[str], place: int | None) -> str:
    return cells[place] if place is not None and place < len(cells) else ""


def _relation_to_sum(values: Sequence[float], sums: Sequence[float]) -> str:
    """Return how a column follows from the sums of the others; empty if it does not, or if the sums hardly differ."""
    different = len(set(sums))
    if different < LEAST_FOR_A_TOTAL:
        return ""
    if all(abs(value - total) < 1e-9 for value, total in zip(values, sums, strict=True)):
        return "the sum"
    factor = sum(values) / sum(sums) if sum(sums) > 0 else 0.0
    reach = _ROUNDED * max(values)
    is_share = factor > 0 and all(abs(v - factor * total) <= reach for v, total in zip(values, sums, strict=True))
    return "proportional to the sum" if is_share and different > LEAST_FOR_A_TOTAL else ""


class _Reader:
    """What both layouts share: who a row is about, doubles, and maximum marks."""

    def __init__(self, cells: CellTable, roles: Sequence[Role | None]) -> None:
        self.cells, self.roles = cells, roles
        self.table = ResponseTable("", problems=cells.problems, notes=cells.notes)
        self.person_places = self._person_places()
        self.first_lines: dict[tuple[str, int, int], int] = {}

    def _person_places(self) -> list[int]:
        """Return the columns that identify a pupil: an identifier, else an e-mail address, else names.

        An identifier or an address that some pupils lack cannot tell them apart.
        """
        pupils = [cells for _line, cells in self.cells.rows if self.label(cells) not in _ABOUT_TABLE]
        for role in (Role.ID, Role.EMAIL):
            place = self.place(role)
            if place is not None and all(_cell(cells, place) for cells in pupils):
                return [place]
        for roles in ((Role.NAME,), (Role.LAST, Role.FIRST)):
            if places := [place for place, role in enumerate(self.roles) if role in roles]:
                return places
        return [place for place, role in enumerate(self.roles) if role in PERSON_ROLES]

    def label(self, cells: Sequence[str]) -> str:
        """Return the cells about the pupil as one text; in some rows it says that the row is about the whole table."""
        places = [place for place, role in enumerate(self.roles) if role in PERSON_ROLES] or [0]
        return person_key(" ".join(_cell(cells, place) for place in places))

    def place(self, role: Role) -> int | None:
        """Return the first column with a role."""
        return self.roles.index(role) if role in self.roles else None

    def person(self, cells: Sequence[str]) -> str:
        """Return what identifies the pupil of a row; empty if nothing does."""
        return person_key(" ".join(_cell(cells, place) for place in self.person_places))

    def variant(self, cells: Sequence[str]) -> str:
        """Return the variant that a row states.

        Raises:
            ValueError: it is more than a letter and a number; what else a cell holds could be about the pupil.
        """
        text = _cell(cells, self.place(Role.VARIANT))
        if not _VARIANT.fullmatch(text):
            raise ValueError("a variant is named by a letter or a number")
        return text.upper()

    def refuse(self, line: int, reason: str) -> None:
        """Record that a line, or a cell of it, is not used."""
        self.table.refuse(line, reason)

    def add(self, row: ResponseRow) -> None:
        """Add a response, unless the pupil already has one for this question and attempt."""
        first = self.first_lines.setdefault((row.person, row.question, row.attempt), row.line)
        if first != row.line:
            name = self.table.questions[row.question].name
            self.refuse(row.line, f"{name}: the pupil already has a response to it in line {first}")
        else:
            self.table.rows.append(row)

    def finish(self, limits: dict[int, float]) -> ResponseTable:
        """Set the maximum marks and refuse the marks that are out of range.

        Args:
            limits: maximum marks by question that rows of the file state.
        """
        highest: dict[int, float] = {}
        for row in self.table.rows:
            if row.mark is not None:
                highest[row.question] = max(highest.get(row.question, 0.0), row.mark)
        guessed = []
        for index, most in highest.items():
            reference = self.table.questions[index]
            limit = limits.get(index) or reference.maximum
            if limit is None:
                limit = max(most, 1.0)
                if most > 1:
                    guessed.append(reference.name)
            self.table.questions[index] = replace(reference, maximum=limit)
        if guessed:
            names = ", ".join(guessed[:10]) + (" and others" if len(guessed) > 10 else "")
            self.table.notes.append(f"The file states no maximum for {names}: the highest mark given counts as it.")
        self.table.rows = [row for row in self.table.rows if self._is_in_range(row)]
        return self.table

    def _is_in_range(self, row: ResponseRow) -> bool:
        reference = self.table.questions[row.question]
        if row.mark is None or reference.maximum is None or 0 <= row.mark <= reference.maximum:
            return True
        bound = f"above the maximum, {reference.maximum:g}" if row.mark > 0 else "below 0"
        self.refuse(row.line, f"{reference.name}: the mark {row.mark:g} is {bound}")
        return False


class _LongReader(_Reader):
    """A row per response."""

    def read(self) -> ResponseTable:
        """Return the responses.

        Raises:
            ImportRefused: no column identifies the pupil.
        """
        if not self.person_places:
            raise ImportRefused("The table has a column for the question but none for the pupil.")
        self.table.kind = "Table with a row per response"
        limits: dict[int, float] = {}
        questions: dict[str, int] = {}
        for line, cells in self.cells.rows:
            name, person = _cell(cells, self.place(Role.QUESTION)), self.person(cells)
            if not name or not person:
                self.refuse(line, "the row names no question" if person else "the row names no pupil")
                continue
            if name not in questions:
                questions[name] = len(questions)
                self.table.questions.append(QuestionReference(name, id=name, text=name))
            try:
                row = self._row(line, cells, person, questions[name])
                maximum = _cell(cells, self.place(Role.MAXIMUM))
                if maximum and limits.setdefault(row.question, parse_mark(maximum)) != parse_mark(maximum):
                    raise ValueError(f"{name} has another maximum in an earlier line")
            except ValueError as error:
                self.refuse(line, str(error))
            else:
                self.add(row)
        return self.finish(limits)

    def _row(self, line: int, cells: Sequence[str], person: str, question: int) -> ResponseRow:
        mark, response = _cell(cells, self.place(Role.SCORE)), _cell(cells, self.place(Role.RESPONSE))
        attempt = _cell(cells, self.place(Role.ATTEMPT))
        if attempt and not (attempt.isdigit() and int(attempt)):
            raise ValueError(f"“{attempt[:20]}” is not the number of an attempt")
        time = _cell(cells, self.place(Role.SECONDS))
        seconds = parse_seconds(time) if time else None
        if time and seconds is None:
            raise ValueError(f"“{time[:20]}” is not a time; write seconds")
        if mark in UNANSWERED and response.casefold() in UNANSWERED:
            raise ValueError("the row has neither a response nor a mark")
        found = None if mark in UNANSWERED else parse_score(mark)
        number, variant = int(attempt or 1), self.variant(cells)
        return ResponseRow(line, person, question, found, response, seconds=seconds, attempt=number, variant=variant)


class _WideReader(_Reader):
    """A row per pupil, or per attempt of a pupil."""

    def read(self) -> ResponseTable:
        """Return the responses.

        Raises:
            ImportRefused: no column is about a question.
        """
        header = self.cells.header
        columns = moodle_columns(header)
        self.is_report = bool(columns)
        self.table.kind = "Moodle’s report of responses"
        if not columns:
            columns, self.table.kind = canvas_columns(header), "Canvas’s student analysis"
        if not columns:
            columns = self._plain_columns()
        if not columns:
            raise ImportRefused("No column of the table is about a question.")
        self.limits: dict[int, float] = {}
        self.keys: dict[int, str] = {}
        pupils = [row for line, cells in self.cells.rows if (row := self._pupil(line, cells))]
        self.columns = columns = self._without_totals(columns, pupils)
        self.table.questions = [column.reference for column in columns]
        self.by_text = {(index, ""): index for index in range(len(columns))}
        self._read_rows_about_table()
        self.has_marks = [column.either is not None and self._are_marks(column, pupils) for column in columns]
        attempts: dict[str, int] = {}
        for line, person, cells in pupils:
            attempt = self._attempt(line, person, cells, attempts)
            if attempt:
                self._read_row(line, person, attempt, cells)
        return self.finish(self.limits)

    def _plain_columns(self) -> list[QuestionColumns]:
        """Return the questions of a table that is no report; the first column is the pupil if no header says so."""
        header = self.cells.header
        if not self.person_places:
            self._refuse_pupils_in_header()
            self.person_places = [0]
            self.table.notes.append("No header names the pupil, so the first column is read as the pupil.")
        columns = wide_columns(header, self.roles, self.person_places)
        self.is_report = any(re.fullmatch(r"[A-Z]\. ?\d+ ?/ ?[\d.,]+", name) for name in header)
        self.table.kind = "Moodle’s report of grades" if self.is_report else "Table with a row per pupil"
        read = {column.either for column in columns} | set(self.person_places)
        left = [
            name
            for place, name in enumerate(header)
            if name and place not in read and self.roles[place] not in PERSON_ROLES
        ]
        if left:
            self.table.notes.append(f"Columns that are not questions: {', '.join(left)}.")
        return columns

    def _refuse_pupils_in_header(self) -> None:
        """Check that a header without the word pupil is one; otherwise it may hold a pupil's name and marks.

        Raises:
            ImportRefused: it is none, or each row is a question.
        """
        if Role.QUESTION in self.roles:
            raise ImportRefused("Each row seems to be a question: turn the table, so that each row is a pupil.")
        names = self.cells.header[1:]
        numbers = [number_of(name) for name in names if looks_like_mark(name)]
        if len(set(names)) < len(names) or numbers != sorted(numbers) or not all(number >= 1 for number in numbers):
            raise ImportRefused("The first row must name the columns: the pupil, then each question.")

    def _pupil(self, line: int, cells: list[str]) -> _Pupil | None:
        """Return a pupil's row; None if it is about the whole table or nobody."""
        if self.label(cells) in _ABOUT_TABLE:
            return None
        person = self.person(cells)
        if not person:
            self.refuse(line, "the row names no pupil")
        return (line, person, cells) if person else None

    def _read_rows_about_table(self) -> None:
        """Read the rows that state maximum marks or right answers; note the others that name no pupil."""
        for line, cells in self.cells.rows:
            label = self.label(cells)
            if label in _SUMMARIES:
                self.table.notes.append(f"Line {line} is a summary of the others and is not read.")
            for index, column in enumerate(self.columns):
                text = _cell(cells, column.either)
                if text and label in _KEYS:
                    self.keys[index] = text
                elif text and label in _MAXIMA:
                    try:
                        self.limits[index] = parse_mark(text)
                    except ValueError as error:
                        self.refuse(line, f"{column.reference.name}: {error}")

    def _without_totals(self, columns: list[QuestionColumns], pupils: Sequence[_Pupil]) -> list[QuestionColumns]:
        """Return the columns without one that is the sum of the others in every row, or proportional to it."""
        plain = [column for column in columns if column.either is not None]
        fewest = LEAST_FOR_A_TOTAL - (len(pupils) >= SURE_OF_A_TOTAL)
        if len(plain) <= fewest or len(pupils) < LEAST_FOR_A_TOTAL:
            return columns
        rows = [[number_of(_cell(cells, column.either)) for column in plain] for _line, _person, cells in pupils]
        for place, column in enumerate(plain):
            if said := _relation_to_sum([row[place] for row in rows], [sum(row) - row[place] for row in rows]):
                name = column.reference.name
                self.table.notes.append(f"“{name}” is {said} of the other columns, so it is not read as a question.")
                return [other for other in columns if other is not column]
        return columns

    @staticmethod
    def _are_marks(column: QuestionColumns, pupils: Sequence[_Pupil]) -> bool:
        texts = [text for _line, _person, cells in pupils if (text := _cell(cells, column.either)) not in UNANSWERED]
        return 2 * sum(map(looks_like_mark, texts)) >= len(texts)

    def _attempt(self, line: int, person: str, cells: Sequence[str], attempts: dict[str, int]) -> int:
        """Return the number of the attempt that a row is about; 0 if the row is not used."""
        if _cell(cells, self.place(Role.STATE)).casefold() in UNFINISHED:
            self.refuse(line, "the attempt is not finished")
            return 0
        given = _cell(cells, self.place(Role.ATTEMPT))
        if given.isdigit():
            return int(given)
        attempts[person] = attempts.get(person, 0) + 1
        if attempts[person] > 1 and not self.is_report:
            self.refuse(line, "the pupil already has a row; add a column “attempt” if it is another attempt")
            return 0
        return attempts[person]

    def _read_row(self, line: int, person: str, attempt: int, cells: Sequence[str]) -> None:
        added = False
        try:
            variant = self.variant(cells)
        except ValueError as error:
            self.refuse(line, str(error))
            return
        for place, column in enumerate(self.columns):
            try:
                found = self._response(place, column, cells)
            except ValueError as error:
                self.refuse(line, f"{column.reference.name}: {error}")
                continue
            if found is not None:
                mark, response, key = found
                question = self._question(place, column, cells)
                row = ResponseRow(line, person, question, mark, response, key, attempt=attempt, variant=variant)
                self.add(row)
                added = True
        if not added and not any(problem.line == line for problem in self.table.problems[-len(self.columns) :]):
            self.refuse(line, "the row has no answers")

    def _response(
        self, place: int, column: QuestionColumns, cells: Sequence[str]
    ) -> tuple[float | None, str, str] | None:
        """Return mark, response and right answer; None if the pupil did not answer.

        Raises:
            ValueError: the mark cannot be read.
        """
        text, mark = _cell(cells, column.response), _cell(cells, column.mark)
        if column.either is not None:
            cell = _cell(cells, column.either)
            text, mark = ("", cell) if self.has_marks[place] else (cell, "")
        text = "" if text.casefold() in UNANSWERED else text
        mark = "" if mark.casefold() in UNANSWERED else mark
        if not text and (not mark or (column.response is not None and column.mark is None)):
            return None
        if not mark:
            return None, text, _cell(cells, column.key) or self.keys.get(place, "")
        return parse_verdict(mark), text, ""

    def _question(self, place: int, column: QuestionColumns, cells: Sequence[str]) -> int:
        """Return the index of the question; a place in the test may hold another question for each pupil."""
        text = _cell(cells, column.text)
        index = self.by_text.get((place, text))
        if index is None:
            reference = column.reference
            known = self.table.questions[place]
            named = QuestionReference(reference.name, reference.id, reference.position, text, reference.maximum)
            if not known.text:  # the first text seen at this place
                index, self.table.questions[place] = place, named
            else:
                index = len(self.table.questions)
                self.table.questions.append(named)
            self.by_text[place, text] = index
        return index
