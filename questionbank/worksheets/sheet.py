"""One version of a worksheet as it is printed, and the worksheet before it: nothing of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from analytics.records import QuestionRecord


class PaperSize(StrEnum):
    """Sizes of paper."""

    A4 = "a4"
    LETTER = "us-letter"


@dataclass(frozen=True, slots=True)
class SheetItem:
    """One numbered question.

    Attributes:
        number: empty for a description, which asks nothing.
        text: in our notation: formulas as ``$...$``, pictures as ``![alternative](name)``, lists, tables, emphasis.
        options: label and text of each, in the order of this version.
        matches: the choices on the right of a matching question, in the order of this version; `options` are the left.
        parts: texts of the parts of a question in parts, each an item with a number such as ``(a)``.
        points: None if no points are given.
        answer_lines: empty lines to write on; a question in parts has none of its own.
        answer: for the key, in our notation; empty if it is not known.
        stimulus: a text shared with the questions that follow, printed above this one; the others have none.
    """

    number: str
    text: str
    options: tuple[tuple[str, str], ...] = ()
    matches: tuple[tuple[str, str], ...] = ()
    parts: tuple[SheetItem, ...] = ()
    points: float | None = None
    answer_lines: int = 0
    answer: str = ""
    solution: str = ""
    stimulus: str = ""

    @property
    def lines(self) -> range:
        """One number for each line to write on, as templates repeat them."""
        return range(self.answer_lines)

    @property
    def has_points_in_parts(self) -> bool:
        """Whether points are printed with its parts."""
        return any(part.points is not None or part.has_points_in_parts for part in self.parts)

    @property
    def points_beside(self) -> float | None:
        """The points that are printed where it ends."""
        return None if self.has_points_in_parts else self.points

    @property
    def points_below(self) -> float | None:
        """The points that sum up its parts, printed below them; None where the parts say all."""
        is_said = len(self.parts) == 1 and self.parts[0].points == self.points
        return self.points if self.has_points_in_parts and not is_said else None

    @property
    def lacks_answer(self) -> bool:
        return bool(self.number) and not self.answer.strip() and not self.parts


@dataclass(frozen=True, slots=True)
class SheetSection:
    """Questions under one heading; the heading and the instructions may be empty."""

    items: tuple[SheetItem, ...]
    heading: str = ""
    instructions: str = ""

    @property
    def key_items(self) -> tuple[SheetItem, ...]:
        """What a key tells of: not a description, unless it has a solution."""
        return tuple(item for item in self.items if item.number or item.answer or item.solution)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One version of a worksheet.

    Attributes:
        version: ``A`` to ``D``; empty where there is one version only.
        columns: 1 or 2.
        total_points: None where no question has points.
        shows_key: whether this is the key: answers, and worked solutions where `shows_solutions`.
        pictures: bytes of each picture that a text names.
        picture_widths: in points (1/72 inch), as their sources print them, by the same names; not of all.
        language: of most questions, as in ``en``; for the document's language and the font.
        same_numbers: for the key of a version with other numbers: which questions have those of version A, and why.
    """

    title: str
    sections: tuple[SheetSection, ...]
    instructions: str = ""
    version: str = ""
    columns: int = 1
    paper: PaperSize = PaperSize.A4
    total_points: float | None = None
    has_name_field: bool = True
    shows_key: bool = False
    shows_solutions: bool = False
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    picture_widths: Mapping[str, float] = field(default_factory=dict)
    language: str = "en"
    same_numbers: str = ""


VERSIONS = "ABCD"


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A question that goes on the paper.

    Attributes:
        answer_lines: lines to write on; of a question in parts, below each part that is written.
        may_change: whether its equation gives its answer, so that its numbers may be others.
        pictures: the name on paper of each picture by its name in the question.
    """

    number: int
    record: QuestionRecord
    points: float | None = None
    answer_lines: int = 0
    may_change: bool = False
    pictures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PlannedSection:
    """Questions under one heading."""

    questions: tuple[PlannedQuestion, ...]
    heading: str = ""
    instructions: str = ""


@dataclass(frozen=True, slots=True)
class Mixing:
    """What a version changes; version A changes nothing."""

    seed: int
    version: str = "A"
    questions: bool = True
    options: bool = True
    numbers: bool = True

    @property
    def place(self) -> int:
        """The version's place behind version A; -1 for version A itself."""
        return VERSIONS.index(self.version) - 1

    @property
    def is_first(self) -> bool:
        return self.place < 0

    def rng(self, *names: object) -> Random:
        """Return the random numbers of one thing in this version: what else is on the worksheet does not matter."""
        parts = (self.seed, self.version, *names)
        return Random("/".join(map(str, parts)))  # noqa: S311 - no secret
