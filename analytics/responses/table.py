"""Responses of people to questions, one row per response."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Responses:
    """Scored responses, at most one per person and question.

    Attributes:
        person: index of the person, (responses,).
        question: index of the question, (responses,).
        score: share of the maximum mark, from 0 to 1, (responses,).
        max_marks: maximum mark of each question, (questions,).
        group: index of each person's group (a class, a year), (people,); by default all are in group 0.

    Raises:
        DataError: shapes differ, an index or a score is out of range, or a person answered a question twice.
    """

    person: Indices
    question: Indices
    score: Floats
    max_marks: Floats
    group: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if not self.person.shape == self.question.shape == self.score.shape or self.person.ndim != 1:
            raise DataError("A response has one person, one question and one score.")
        if not len(self.person):
            raise DataError("There are no responses.")
        if min(self.person.min(), self.question.min()) < 0 or self.question.max() >= self.questions:
            raise DataError("A response names a person or a question that does not exist.")
        if not np.all((self.score >= 0) & (self.score <= 1)):
            raise DataError("A score is a share of the maximum mark: from 0 to 1.")
        if not np.all(self.max_marks > 0):
            raise DataError("The maximum mark of a question is above 0.")
        if len(self.group) and (len(self.group) <= self.person.max() or self.group.min() < 0):
            raise DataError("Each person is in one group.")
        if len(np.unique(self.person * self.questions + self.question)) < len(self.person):
            raise DataError("A person has two responses to the same question.")

    @property
    def questions(self) -> int:
        """Number of questions."""
        return len(self.max_marks)

    @cached_property
    def people(self) -> int:
        """Number of people."""
        return max(int(self.person.max()) + 1, len(self.group))

    @property
    def groups(self) -> Indices:
        """Index of each person's group, (people,)."""
        return self.group if len(self.group) else np.zeros(self.people, dtype=np.int64)

    @property
    def marks(self) -> Floats:
        """Mark of each response, (responses,)."""
        return np.asarray(self.score * self.max_marks[self.question])

    @cached_property
    def totals(self) -> Floats:
        """Total of each person's marks, (people,)."""
        return np.asarray(np.bincount(self.person, self.marks, self.people), dtype=float)

    @cached_property
    def rows_by_question(self) -> list[Indices]:
        """Indices of each question's responses, one array per question."""
        order = np.argsort(self.question, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.question, minlength=self.questions))[:-1])

    @classmethod
    def from_matrix(cls, marks: npt.ArrayLike, max_marks: npt.ArrayLike | None = None) -> Responses:
        """Return the responses of a table with a row per person and a column per question.

        Args:
            marks: (people, questions); NaN where a person did not reach a question.
            max_marks: (questions,); by default 1 each.

        Raises:
            DataError: see the class.
        """
        table = np.asarray(marks, dtype=float)
        limits = np.ones(table.shape[1]) if max_marks is None else np.asarray(max_marks, dtype=float)
        person, question = np.nonzero(~np.isnan(table))
        groups = np.zeros(len(table), dtype=np.int64)
        return cls(person, question, table[person, question] / limits[question], limits, groups)
