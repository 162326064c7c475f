"""Grids of questions: several tasks asked about several stories, so that an encoder learns the task, not the story.

Not in QuesCo, whose only relation between questions is their distance in a hierarchy of concepts (Eq. 1).
Questions in one column have the same task in different stories and are positives; those in one row tell the
same story with different tasks and are the hardest negatives. The packaged grids (`task_grids.jsonl.gz`) were
written for Kindred. See docs/decisions/0140-purpose-is-learned-from-grids.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.errors import DataError
from analytics.json_lines import naming_line, read_objects

PACKAGED_GRIDS = Path(__file__).with_name("task_grids.jsonl.gz")
"""The grids distributed with the program."""

SAME_QUESTION, SAME_TASK, OTHER_TASK = 0, 1, 2
"""Ranks of one question relative to another; `SAME_QUESTION` is left out of the contrast."""


@dataclass(frozen=True, slots=True)
class GridQuestion:
    """A question of a grid.

    Attributes:
        grid: number of the grid.
        task: number of the task in its grid.
        story: number of the story in its grid; -1 for bare mathematics.
    """

    text: str
    language: str
    grid: int
    task: int
    story: int


def read_grids(path: Path = PACKAGED_GRIDS) -> list[GridQuestion]:
    """Read the questions of all grids from a JSON Lines file, grid by grid.

    A line has ``language``, ``questions`` (one list per story, with a question or null per task) and,
    optionally, ``bare``: one question without a story, or null, per task.

    Raises:
        DataError: a line cannot be read, or its stories differ in their number of tasks.
    """
    questions: list[GridQuestion] = []
    for number, body in read_objects(path):
        with naming_line(path, number):
            questions += _grid(number, body)
    return questions


def _grid(number: int, body: Mapping[str, Any]) -> list[GridQuestion]:
    rows = [*enumerate(body["questions"]), (-1, body.get("bare") or [])]
    tasks = len(body["questions"][0])
    if tasks < 2 or len(body["questions"]) < 2 or any(row and len(row) != tasks for _story, row in rows):
        raise ValueError("a grid needs two tasks and two stories, and a question for each task of each story")
    return [
        GridQuestion(text, str(body["language"]), number, task, story)
        for story, row in rows
        for task, text in enumerate(row)
        if text
    ]


class GridBatches:
    """Draws whole grids and ranks their questions by whether they have the same task.

    Args:
        questions: the questions of the grids; see `read_grids`.
        grids: number of grids drawn together.

    Raises:
        DataError: there are fewer grids than `grids`.
    """

    def __init__(self, questions: Sequence[GridQuestion], grids: int) -> None:
        self.texts = [question.text for question in questions]
        self._grid = np.array([question.grid for question in questions], dtype=np.int64)
        self._task = np.array([question.task for question in questions], dtype=np.int64)
        self._names = np.unique(self._grid)
        self._grids = grids
        if len(self._names) < grids:
            raise DataError(f"There are {len(self._names)} grids of tasks in this language; {grids} are needed.")

    def draw(self, seed: Sequence[int]) -> npt.NDArray[np.int64]:
        """Return the rows of randomly drawn grids; the same seed gives the same grids."""
        chosen = np.random.default_rng(seed).choice(self._names, self._grids, replace=False)
        return np.flatnonzero(np.isin(self._grid, chosen))

    def ranks(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return `SAME_TASK` or `OTHER_TASK` for each pair, (rows, rows), and `SAME_QUESTION` on the diagonal."""
        same = (self._grid[rows][:, None] == self._grid[rows]) & (self._task[rows][:, None] == self._task[rows])
        ranks = np.where(same, SAME_TASK, OTHER_TASK)
        np.fill_diagonal(ranks, SAME_QUESTION)
        return ranks
