"""One printable version of a worksheet, and the plan it is made from, independent of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from analytics.records import QuestionRecord


class PaperSize(StrEnum):
    """Paper sizes."""

    A4 = "a4"
    LETTER = "us-letter"


@dataclass(frozen=True, slots=True)
class SheetItem:
    """One numbered question.

    Attributes:
        number: empty for a description, which asks nothing.
        text: in our notation: formulas as ``$...$``, pictures as ``![alternative](name)``, lists, tables, emphasis.
        options: label and text of each, in the order of this version.
        matches: the right-hand choices of a matching question, in the order of this version; `options` are the left.
        parts: the texts of a question's parts, each an item with a number such as ``(a)``.
        points: None if no points are given.
        answer_lines: empty lines to write on; a question in parts has none of its own.
        answer: for the key, in our notation; empty if not known.
        stimulus: a text shared with the following questions and printed above this one; empty for the others.
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
        """The answer lines as a range, for loops in templates."""
        return range(self.answer_lines)

    @property
    def has_points_in_parts(self) -> bool:
        """Whether points are printed next to its parts."""
        return any(part.points is not None or part.has_points_in_parts for part in self.parts)

    @property
    def points_beside(self) -> float | None:
        """The points printed at its end."""
        return None if self.has_points_in_parts else self.points

    @property
    def points_below(self) -> float | None:
        """The total points of its parts, printed below them; None if the parts' points suffice."""
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
        """The items in the key: all but descriptions without a solution."""
        return tuple(item for item in self.items if item.number or item.answer or item.solution)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One version of a worksheet.

    Attributes:
        version: ``A`` to ``D``; empty if there is only one version.
        columns: 1 or 2.
        total_points: None if no question has points.
        shows_key: whether this is the key: answers, and worked solutions if `shows_solutions`.
        pictures: bytes of each picture that a text names.
        picture_widths: in points (1/72 inch), as printed in their sources, by the same names; incomplete.
        language: of most questions, such as ``en``; determines the document's language and the font.
        same_numbers: in the key of a version with other numbers: which questions keep those of version A, and why.
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
    """A question to be printed.

    Attributes:
        answer_lines: lines to write on; for a question in parts, below each part with a written answer.
        may_change: whether its equation gives its answer, so that its numbers may be changed.
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
        """The version's index after version A; -1 for version A itself."""
        return VERSIONS.index(self.version) - 1

    @property
    def is_first(self) -> bool:
        return self.place < 0

    def rng(self, *names: object) -> Random:
        """Return the random generator of one item in this version, independent of the rest of the worksheet."""
        parts = (self.seed, self.version, *names)
        return Random("/".join(map(str, parts)))  # noqa: S311 - no secret
