"""Headers of tables of responses: the role of each column, and the question that it is about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise


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
