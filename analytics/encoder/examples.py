"""Training examples of an encoder: questions with their concepts, from files or from a bank, and grids of questions.

A grid has several tasks asked about several stories, so that an encoder learns the task, not the story. Questions in
one column have the same task in different stories and are positives; those in one row tell the same story with
different tasks and are the hardest negatives. QuesCo has no grids: its only relation between questions is their
distance in a hierarchy of concepts (Eq. 1). The packaged grids (`task_grids.jsonl.gz`) were written for Kindred. See
docs/decisions/0140-purpose-is-learned-from-grids.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.concept_paths import common_leading_nodes, without_leading
from analytics.errors import DataError
from analytics.json_lines import naming_line, read_objects
from analytics.question_files import QuestionRow, read_rows
from analytics.records import ConceptPath
from analytics.splits import KeptOut, is_held_out


@dataclass(frozen=True, slots=True)
class EncoderExample:
    """A training question.

    Attributes:
        text: the question.
        paths: its concept paths, without the leading nodes that all questions of the hierarchy share.
        hierarchy: name of the hierarchy; distances between hierarchies are undefined.
        solution: worked solution, empty if there is none; used only as a second view in training.
        difficulty: on the scale of its hierarchy's source; None if unknown.
    """

    text: str
    paths: tuple[ConceptPath, ...] = ()
    hierarchy: str = ""
    solution: str = ""
    difficulty: float | None = None


def read_examples(data: Path, *, language: str = "", hierarchy: str = "") -> list[EncoderExample]:
    """Return the questions of a JSON Lines file, of a folder of them, or of a folder of such folders.

    In folders, files named ``test*`` are skipped, and so are questions that differ from those in them only in
    their numbers. Each file or folder of files forms its own hierarchy, named after it, unless `hierarchy` names
    one for all. Exact duplicates are dropped.

    Raises:
        DataError: there are no questions, a line cannot be read, or no question is in the language.
    """
    data = Path(data)
    folders = sorted(folder for folder in data.iterdir() if folder.is_dir()) if data.is_dir() else []
    examples: list[EncoderExample] = []
    for source in folders or [data]:
        rows = [row for row in read_rows(source) if language in ("", row.language)]
        tests = source.glob("test*.jsonl*") if source.is_dir() else ()
        kept_out = KeptOut.of(row.text for file in tests for row in read_rows(file))
        rows_examples = examples_of(rows, hierarchy or source.name.partition(".")[0])
        examples += [example for example in rows_examples if not kept_out.holds(example.text)]
    if not examples:
        raise DataError(f"No question in {data} is in the language {language!r}.")
    return list({(example.text, example.hierarchy): example for example in examples}.values())


def examples_of(rows: Sequence[QuestionRow], hierarchy: str) -> list[EncoderExample]:
    """Return the questions of one hierarchy as examples; those without a text are left out."""
    leading = common_leading_nodes(path for row in rows for path in row.paths)
    return [
        EncoderExample(
            text=row.text,
            paths=tuple(dict.fromkeys(without_leading(path, leading) for path in row.paths)),
            hierarchy=hierarchy,
            solution=row.solution,
            difficulty=row.difficulty,
        )
        for row in rows
        if row.text.strip()
    ]


def split_held_out(examples: Sequence[EncoderExample]) -> tuple[list[EncoderExample], list[EncoderExample]]:
    """Split questions into a training set and the held-out part that no encoder is trained on.

    Questions that differ from a held-out one only in numbers are in neither.
    """
    held_out = [example for example in examples if is_held_out(example.text)]
    kept_out = KeptOut.of(example.text for example in held_out)
    return [example for example in examples if not kept_out.holds(example.text)], held_out


def examples_hash(examples: Sequence[EncoderExample]) -> str:
    """Return the SHA-256 over the questions and their labels, in order."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(json.dumps([example.text, example.paths, example.hierarchy, example.difficulty]).encode())
    return digest.hexdigest()


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
