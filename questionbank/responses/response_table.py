"""The responses of a file as they are read, with keyed hashes in place of names, before questions are matched."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Any

from django.utils.crypto import salted_hmac

from questionbank.core.errors import LineProblem
from questionbank.responses.table_cells import QuestionReference, reference_of


@dataclass(frozen=True, slots=True)
class ResponseRow:
    """What a pupil did with a question.

    Attributes:
        line: line of the file.
        person: what identifies the pupil in the file.
        question: index in `ResponseTable.questions`.
        mark: None if the file states none.
        response: what the pupil answered; empty if the file does not state it.
        key: the right answer that the file states beside it.
        seconds: time spent; None if unknown.
        attempt: number of the attempt, counted from 1.
        variant: name of the variant of the question or of the test; empty if the file does not state it.
    """

    line: int
    person: str
    question: int
    mark: float | None = None
    response: str = ""
    key: str = ""
    seconds: float | None = None
    attempt: int = 1
    variant: str = ""


@dataclass(frozen=True, slots=True)
class PublishedFigures:
    """Figures of a question that another system computed.

    Attributes:
        line: line of the file.
        question: index in `ResponseTable.questions`.
        people: number of attempts; None if the file does not state it.
        figures: by name, as in `questionbank.responses.figures`.
    """

    line: int
    question: int
    people: int | None
    figures: dict[str, float]


@dataclass(slots=True)
class ResponseTable:
    """The responses of a file.

    Attributes:
        kind: the recognised layout, for people.
        questions: the questions that the file names; each has its maximum mark, unless no row has a mark.
        rows: responses, at most one per pupil, question and attempt.
        published: figures of questions; a file has these or responses.
        problems: lines that are not used, with reasons.
        notes: remarks about the file as a whole.
        title: suggested title of the set.
        worksheet: the worksheet whose marks were typed in; None for a file.
        order: ids of the questions behind "Q. 1", "Q. 2"; empty if a person has to say.
    """

    kind: str
    questions: list[QuestionReference] = field(default_factory=list)
    rows: list[ResponseRow] = field(default_factory=list)
    published: list[PublishedFigures] = field(default_factory=list)
    problems: list[LineProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    title: str = ""
    worksheet: int | None = None
    order: list[int] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        """Record that a line, or a cell of it, is not used."""
        self.problems.append(LineProblem(line, reason))

    @property
    def people(self) -> int:
        """Number of pupils."""
        return len({row.person for row in self.rows})


HASH_BYTES = 16
_SALT = "kindred.responses.person"
_COLUMN_SALT = "kindred.responses.column"
_DOWNLOADED_AGAIN = re.compile(r"\s*\(\d+\)$")


def person_hash(person: str) -> str:
    """Return a pupil's keyed hash, in hexadecimal; the key is derived from the installation's secret key."""
    return salted_hmac(_SALT, person, algorithm="sha256").digest()[:HASH_BYTES].hex()


def without_names(table: ResponseTable) -> ResponseTable:
    """Return a table with keyed hashes in place of what identifies the pupils."""
    hashes = {person: person_hash(person) for person in {row.person for row in table.rows}}
    return replace(table, rows=[replace(row, person=hashes[row.person]) for row in table.rows])


def column_hashes(table: ResponseTable) -> list[bytes]:
    """Return a keyed hash for each question of a table, the same for the next file with this layout and header.

    A header that is only a number, such as "Q. 3", means a question of this test: its file must have the same name.
    """
    test = _DOWNLOADED_AGAIN.sub("", table.title)
    hashes = []
    for reference in table.questions:
        header = reference.text or reference.name
        source = [table.kind, test if reference_of(header).position is not None else ""]
        said = json.dumps([*source, " ".join(header.split()).casefold()])
        hashes.append(salted_hmac(_COLUMN_SALT, said, algorithm="sha256").digest()[:HASH_BYTES])
    return hashes


def dump_table(table: ResponseTable) -> bytes:
    """Return a table as bytes."""
    fields: dict[str, Any] = {
        "kind": table.kind,
        "questions": [asdict(question) for question in table.questions],
        "rows": [astuple(row) for row in table.rows],
        "published": [asdict(published) for published in table.published],
        "problems": [(problem.line, problem.reason) for problem in table.problems],
        "notes": table.notes,
        "title": table.title,
        "worksheet": table.worksheet,
        "order": table.order,
    }
    return gzip.compress(json.dumps(fields, ensure_ascii=False).encode(), 3)


def load_table(data: bytes) -> ResponseTable:
    """Return the table from the output of `dump_table`."""
    fields = json.loads(gzip.decompress(data))
    return ResponseTable(
        kind=fields["kind"],
        questions=[QuestionReference(**question) for question in fields["questions"]],
        rows=[ResponseRow(*row) for row in fields["rows"]],
        published=[PublishedFigures(**published) for published in fields["published"]],
        problems=[LineProblem(line, reason) for line, reason in fields["problems"]],
        notes=fields["notes"],
        title=fields["title"],
        worksheet=fields["worksheet"],
        order=fields["order"],
    )
