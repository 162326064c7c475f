"""The table in a file of responses: what its headers mean, the marks and times in its cells, and how it is read.

Files are CSV in any encoding, or workbooks of Excel and OpenDocument. A header tells the role of its column, and the
question that it is about.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from pathlib import Path

from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats.archives import is_archive
from questionbank.formats.csv_files import DecodedLines, table_rows
from questionbank.formats.layout import MOST_TITLE_ROWS, best_header, find_header, table_sample
from questionbank.formats.limits import COLUMNS_LIMIT
from questionbank.formats.lines import file_encoding, read_lines, refuse_unreadable
from questionbank.formats.sheets import sheet_texts


class Role(StrEnum):
    """What a column holds."""

    ID = "identifier"
    EMAIL = "e-mail address"
    LAST = "last name"
    FIRST = "first name"
    NAME = "name"
    QUESTION = "question"
    RESPONSE = "response"
    SCORE = "score"
    MAXIMUM = "maximum"
    SECONDS = "seconds"
    ATTEMPT = "attempt"
    STATE = "state"
    VARIANT = "variant"
    OTHER = "other"


PERSON_ROLES = (Role.ID, Role.EMAIL, Role.LAST, Role.FIRST, Role.NAME)

_WORDS = {
    Role.ID: "id | id number | student id | student number | pupil id | pupil number | sis id | login"
    " | login id | username | user name | user id | candidate number | matrikelnummer | anmeldename"
    " | número de id | numéro d identification",
    Role.EMAIL: "email | e mail | mail | email address | e mail address | e mail adresse"
    " | dirección de correo | adresse de courriel",
    Role.LAST: "last name | surname | family name | nachname | familienname | apellidos | apellido s | nom"
    " | nom de famille",
    Role.FIRST: "first name | given name | forename | vorname | nombre | prénom | prenom",
    Role.NAME: "name | full name | pupil | pupil name | student | student name | learner | participant"
    " | candidate | user | person | schüler | schülerin | schüler in | teilnehmer | vollständiger name"
    " | alumno | alumna | élève | eleve | nom complet | nombre completo",
    Role.QUESTION: "question | question name | fragetitel | name der frage | nombre de la pregunta"
    " | nom de la question | nom de question"
    " | question id | question number | item | item id | item number | task | problem"
    " | exercise | frage | aufgabe | pregunta | exercice",
    Role.RESPONSE: "response | answer | choice | selected | given answer | antwort | respuesta | réponse",
    Role.SCORE: "score | mark | marks | points | correct | is correct | right | result | grade | punkte"
    " | richtig | puntos",
    Role.MAXIMUM: "max | maximum | max score | max mark | max marks | max points | maximum mark"
    " | maximum score | out of | points possible | possible | maximalpunkte",
    Role.SECONDS: "seconds | time | time in seconds | time s | duration | sekunden | zeit",
    Role.ATTEMPT: "attempt | attempt number | try | versuch | intento | tentative",
    Role.STATE: "state | status | estado | état | etat",
    Role.OTHER: "institution | department | institución | abteilung | started | started on | completed"
    " | finished | submitted | time taken | begonnen | begonnen am | beendet | beendet am | verbrauchte zeit"
    " | class | klasse | course | group | gruppe | section | section id | section sis id | root account"
    " | date | datum | gender | comment | comments | bemerkung",
    Role.VARIANT: "variant | version | variante | fassung | form | versión",
}
_ROLES = {word.strip(): role for role, words in _WORDS.items() for word in words.split("|")}
_TOTAL = re.compile(
    r"(?:total|sum|summe|gesamt|overall|grade|bewertung|calificación|note|score|marks?|points?|punkte|result|ergebnis"
    r"|percent(?:age)?|prozent|average|mean|durchschnitt|rank|n (?:in)?correct|%)"
    r"(?: (?:score|marks?|points?|grade|percent(?:age)?|punkte))?\s*(?:%|[/(].*)?",
    re.IGNORECASE,
)
_MAXIMUM = re.compile(r"\s*(?:/|\()\s*(\d+(?:[.,]\d+)?)\s*(?:points?|marks?|pts?|p|punkte)?\.?\s*\)?$", re.IGNORECASE)
_POSITION = re.compile(
    r"(?:q|question|item|task|problem|exercise|ex|frage|aufgabe|f|pregunta|p|exercice|nr|no|number)?[\s.#:]*(\d{1,4})\.?",
    re.IGNORECASE,
)
_NUMBERED = {
    "response": re.compile(r"(?:response|antwort|respuesta|réponse)\s+(\d+)", re.IGNORECASE),
    "key": re.compile(
        r"(?:right answer|richtige antwort|respuesta correcta|(?:bonne )?réponse correcte|bonne réponse)\s+(\d+)",
        re.IGNORECASE,
    ),
    "text": re.compile(r"(?:question|frage|pregunta)\s+(\d+)", re.IGNORECASE),
}
_CANVAS = re.compile(r"(\d+):\s*(.+)", re.DOTALL)
_POINTS = re.compile(r"\d+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class QuestionReference:
    """A question as the file names it.

    Attributes:
        name: the header or the cell that names it.
        id: an identifier in the file's source; may be empty.
        position: number in the test, counted from 1; None if the name is no number.
        text: the question's text; may be empty.
        maximum: the maximum mark; None if the file does not state it.
    """

    name: str
    id: str = ""
    position: int | None = None
    text: str = ""
    maximum: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionColumns:
    """Places of the columns about one question; None for a column that the table lacks.

    Attributes:
        either: a column of marks or of responses; its cells show which.
    """

    reference: QuestionReference
    response: int | None = None
    mark: int | None = None
    either: int | None = None
    key: int | None = None
    text: int | None = None


FACILITY_NAMES = frozenset(
    "facility index | leichtigkeitsindex | índice de facilidad | indice de facilité".split(" | ")
)
"""Moodle's facility index, by which its report of statistics is recognised."""


def role_of(name: str) -> Role | None:
    """Return the role that a header's words state, or None.

    >>> role_of("E-mail_address"), role_of("Angles")
    (<Role.EMAIL: 'e-mail address'>, None)
    """
    words = " ".join(re.sub(r"[\W_]+", " ", name).split()).casefold()
    return _ROLES.get(words)


def is_total(name: str) -> bool:
    """Return whether a column holds a total, so it is not a question.

    >>> is_total("Grade/10.00"), is_total("Total score"), is_total("Sum of angles")
    (True, True, False)
    """
    return _TOTAL.fullmatch(name.strip()) is not None


def reference_of(name: str) -> QuestionReference:
    """Return the question that a header names, with its maximum mark.

    >>> reference_of("Q. 2 /1.50")
    QuestionReference(name='Q. 2', id='', position=2, text='', maximum=1.5)
    >>> reference_of("Area of a circle (3)").maximum
    3.0
    """
    limit = _MAXIMUM.search(name)
    plain = name[: limit.start()].strip() if limit else name.strip()
    if not limit or not plain:
        return _with_position(QuestionReference(name.strip()))
    return _with_position(QuestionReference(plain, maximum=float(limit[1].replace(",", ".")) or None))


def _with_position(reference: QuestionReference) -> QuestionReference:
    match = _POSITION.fullmatch(reference.name)
    return replace(reference, position=int(match[1])) if match else reference


def count_known(cells: Sequence[str], _below: Sequence[str]) -> int:
    """Return how much a row looks like a header: names of roles count more than names of questions."""
    roles = sum(role_of(cell) is not None for cell in cells)
    questions = sum(
        reference.position is not None and not reference.name.isdigit()
        for reference in map(reference_of, filter(None, cells))
    )
    numbers = [int(cell) for cell in cells if cell.isdigit()]
    is_counted = len(numbers) > 2 and numbers == list(range(1, len(numbers) + 1))
    return 1000 * (min(roles, 1) + is_published(cells)) + 10 * roles + questions + is_counted * len(numbers)


def is_published(header: Sequence[str]) -> bool:
    """Return whether a header is that of Moodle's report of statistics."""
    return any(name.casefold() in FACILITY_NAMES for name in header) and Role.QUESTION in map(role_of, header)


def is_long(roles: Sequence[Role | None]) -> bool:
    """Return whether each row is one response."""
    return Role.QUESTION in roles and (Role.RESPONSE in roles or Role.SCORE in roles)


def moodle_columns(header: Sequence[str]) -> list[QuestionColumns]:
    """Return the questions of Moodle's report of responses; empty if it is another table."""
    places: dict[int, dict[str, int]] = {}
    for place, name in enumerate(header):
        for what, pattern in _NUMBERED.items():
            if match := pattern.fullmatch(name.strip()):
                places.setdefault(int(match[1]), {})[what] = place
    return [
        QuestionColumns(QuestionReference(f"Question {number}", position=number), **columns)
        for number, columns in sorted(places.items())
        if "response" in columns
    ]


def canvas_columns(header: Sequence[str]) -> list[QuestionColumns]:
    """Return the questions of Canvas's student analysis; empty if it is another table."""
    found = []
    for place, (name, points) in enumerate(pairwise(header)):
        match = _CANVAS.fullmatch(name)
        if match and _POINTS.fullmatch(points):
            reference = QuestionReference(name[:80], id=match[1], text=match[2], maximum=float(points) or None)
            found.append(QuestionColumns(reference, response=place, mark=place + 1))
    return found


def wide_columns(header: Sequence[str], roles: Sequence[Role | None], person: Sequence[int]) -> list[QuestionColumns]:
    """Return the questions of any other table with a row per pupil.

    Args:
        person: places of the columns that identify the pupil.
    """
    return [
        QuestionColumns(reference_of(name), either=place)
        for place, name in enumerate(header)
        if place not in person and name and roles[place] is None and not is_total(name)
    ]


UNANSWERED = frozenset(("", "-", "–", "—", "n/a", "not yet answered", "no answer"))
_UNGRADED = frozenset(("requires grading", "not yet graded", "bewertung notwendig"))
UNFINISHED = frozenset(("in progress", "overdue", "never submitted", "in bearbeitung", "en curso", "en cours"))
_RIGHT = frozenset(("correct", "right", "richtig", "✓", "✔", "correcto", "juste"))
_WRONG = frozenset(("incorrect", "wrong", "falsch", "✗", "✘", "incorrecto", "faux"))
_TRUE_FALSE = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)?")
_PER_CENT = re.compile(r"\d+(?:[.,]\d+)?\s*%")
_MONTHS = "jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz]"
_DATE = re.compile(
    rf"\d{{4}}-\d\d?-\d\d?(?:[ T].*)?|\d\d?[./]\d\d?[./](?:\d{{2,4}})?|\d\d?[-./ ]\s?(?:{_MONTHS})\w*\.?(?:[-/ ]\d+)?"
    rf"|(?:{_MONTHS})\w*\.?[-/ ]\d+",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:[.,]\d+)?)")


def parse_mark(text: str) -> float:
    """Return a mark with a decimal point or comma.

    >>> parse_mark("0,5"), parse_mark("2.00")
    (0.5, 2.0)

    Raises:
        ValueError: it is no mark; the message says why.
    """
    plain = text.strip()
    if _NUMBER.fullmatch(plain):
        return float(plain.replace(",", ".").replace("−", "-"))
    if _DATE.fullmatch(plain):
        raise ValueError(f"“{plain}” is a date; a spreadsheet program makes dates of marks such as 1-2")
    if _PER_CENT.fullmatch(plain):
        raise ValueError(f"“{plain}” is a percentage; write the mark")
    if plain.casefold() in _UNGRADED:
        raise ValueError("the answer has not been graded yet")
    raise ValueError(f"“{plain[:40]}” is not a mark")


def parse_seconds(text: str) -> float | None:
    """Return a time in seconds, given as a number or as minutes:seconds; None if it is neither.

    >>> parse_seconds("12,5"), parse_seconds("1:02:03"), parse_seconds("soon")
    (12.5, 3723.0, None)
    """
    if match := _CLOCK.fullmatch(text.strip()):
        hours, minutes, seconds = (float((part or "0").replace(",", ".")) for part in match.groups())
        return 3600 * hours + 60 * minutes + seconds
    return float(text.strip().replace(",", ".")) if re.fullmatch(r"\s*\d+(?:[.,]\d+)?\s*", text) else None


def person_key(text: str) -> str:
    """Return a pupil's identification without differences of case, spacing and Unicode form.

    >>> person_key("  Ada   LOVELACE")
    'ada lovelace'
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def number_of(text: str) -> float:
    """Return a number; 0 for anything else."""
    return float(text.replace(",", ".").replace("−", "-")) if _NUMBER.fullmatch(text) else 0.0


def looks_like_mark(text: str) -> bool:
    """Return whether a cell is a mark, a per cent, a date that may have been a mark, or a word such as "correct"."""
    return any(pattern.fullmatch(text) for pattern in (_NUMBER, _PER_CENT, _DATE)) or text.casefold() in _RIGHT | _WRONG


def parse_verdict(text: str) -> float:
    """Return a mark that may be a word.

    >>> parse_verdict("Correct"), parse_verdict("0,5")
    (1.0, 0.5)

    Raises:
        ValueError: as for `parse_mark`.
    """
    word = text.casefold()
    return float(word in _RIGHT) if word in _RIGHT | _WRONG else parse_mark(text)


def parse_score(text: str) -> float:
    """Return the value of a column of scores, where "true" means a right answer.

    Raises:
        ValueError: as for `parse_mark`.
    """
    word = text.casefold()
    return _TRUE_FALSE[word] if word in _TRUE_FALSE else parse_verdict(text)


CELLS_LIMIT = 10_000_000


@dataclass(frozen=True, slots=True)
class CellTable:
    """The cells of a file.

    Attributes:
        header: names of the columns, tidied.
        rows: line number and cells of each row below the header that is not blank.
        problems: rows and cells that cannot be read.
        notes: remarks about the file as a whole.
    """

    header: tuple[str, ...]
    rows: list[tuple[int, list[str]]]
    problems: list[LineProblem]
    notes: list[str]


def read_table(path: Path) -> CellTable:
    """Read a file and find its header.

    Raises:
        ImportRefused: the file cannot be read, is too large or is not a table.
    """
    refuse_unreadable(path)
    problems: list[LineProblem] = []
    notes: list[str] = []
    if is_archive(path):
        rows = list(_checked(sheet_texts(path, notes, is_preferred=is_published), path, problems))
        head = rows[:MOST_TITLE_ROWS]
        best = best_header([(line, _tidy(cells)) for line, cells in head], count_known)
        header, header_line = (best[1].names, best[1].line) if best else ((), 0)
    else:
        encoding = file_encoding(path)
        found = find_header(table_sample(path, encoding), count_known)
        header, header_line = found.names, found.line
        rows = list(_checked(_csv_texts(path, encoding, found.delimiter, header_line), path, problems))
        rows = list(_of_width(rows, len(header), problems))
    if len(header) < 2:
        raise ImportRefused(f"{path.name} is not a table: it needs a column for the pupil and one for each question.")
    if len(header) > COLUMNS_LIMIT:
        raise ImportRefused(f"{path.name} has {len(header):,} columns, more than {COLUMNS_LIMIT:,}.")
    return CellTable(header, [(line, cells) for line, cells in rows if line > header_line], problems, notes)


def _csv_texts(
    path: Path, encoding: str, delimiter: str, header_line: int
) -> Iterator[tuple[int, list[str] | LineProblem]]:
    lines = DecodedLines(read_lines(path), encoding)
    lines.skip_to(header_line)
    next(csv.reader(lines, delimiter=delimiter), None)
    lines.take_bad()
    names = [str(column) for column in range(COLUMNS_LIMIT)]
    for number, row in table_rows(lines, names, delimiter):
        if isinstance(row, LineProblem):
            yield number, row
        else:
            width = max(map(int, row)) + 1
            yield number, [row.get(name, "") for name in names[:width]]


def _checked(
    rows: Iterator[tuple[int, list[str] | LineProblem]], path: Path, problems: list[LineProblem]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows; put problems aside.

    Raises:
        ImportRefused: there are too many cells.
    """
    count = 0
    for line, cells in rows:
        if isinstance(cells, LineProblem):
            problems.append(cells)
            continue
        count += len(cells)
        if count > CELLS_LIMIT:
            raise ImportRefused(f"{path.name} has more than {CELLS_LIMIT:,} cells; split it.")
        if any(cell.strip() for cell in cells):
            yield line, [cell.strip() for cell in cells]


def _of_width(
    rows: Iterable[tuple[int, list[str]]], width: int, problems: list[LineProblem]
) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that have no cells beyond the header: a comma in a mark has divided the others."""
    for line, cells in rows:
        if any(cells[width:]):
            said = f"the row has {len(cells)} cells, the header {width}; a mark with a decimal comma needs"
            problems.append(LineProblem(line, f"{said} quotation marks around it"))
        else:
            yield line, cells


def _tidy(cells: list[str]) -> tuple[str, ...]:
    width = max((place + 1 for place, cell in enumerate(cells) if cell), default=0)
    return tuple(" ".join(cell.split()) for cell in cells[:width])
