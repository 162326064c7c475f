"""The responses of a file as they are read, before its questions are found in the bank."""

from __future__ import annotations

from dataclasses import dataclass, field

from questionbank.core.errors import LineProblem
from questionbank.responses.column_roles import QuestionReference


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
        order: ids of the questions that numbers are places of; empty if a person has to say.
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
