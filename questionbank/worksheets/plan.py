"""A worksheet before it is printed: its questions in the owner's order, and what its versions may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from analytics.records import QuestionRecord

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
