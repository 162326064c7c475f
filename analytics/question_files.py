"""Questions and word problems from JSON Lines files, for training and evaluation without a database. Torch-free.

In a folder of word problems, files named ``test*`` are the test set, ``val*`` and ``dev*`` the validation set, and
all others the training set. If lines name a ``fold``, one fold can serve as the test set instead.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from analytics.analysed_text import line_text
from analytics.errors import DataError
from analytics.json_lines import TEXT_LIMIT, naming_line, read_objects, string_problem
from analytics.languages import detect_language
from analytics.records import ConceptPath, ProblemRecord
from analytics.text.fingerprints import text_key


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """The fields of a question file's line that models learn from.

    `id` is empty if the line has none. `text` is the analysed text of the question
    (`analytics.analysed_text`). `source` identifies the question's origin: the first two folders of a path,
    or the first entry of a list; empty if the line has none.
    """

    text: str
    language: str
    paths: tuple[ConceptPath, ...]
    difficulty: float | None
    scale: str
    solution: str = ""
    id: str = ""
    source: str = ""


def read_rows(path: Path) -> list[QuestionRow]:
    """Read questions from a JSON Lines file (``.jsonl`` or ``.jsonl.gz``), or from all such files in a folder.

    In a folder, files named ``test*`` are skipped, so that nothing learns from a test set. Lines without a
    text (a concept tree, a pair) are skipped.

    Raises:
        DataError: there are no questions, or a line cannot be read; the message names file and line.
    """
    path = Path(path)
    if path.is_dir():
        files = sorted(
            file
            for file in path.iterdir()
            if file.name.endswith((".jsonl", ".jsonl.gz")) and not file.name.startswith("test")
        )
    else:
        files = [path]
    if not files or not all(file.is_file() for file in files):
        raise DataError(f"There is no question file (.jsonl or .jsonl.gz) at {path}.")
    rows = [row for file in files for row in _rows_of_file(file)]
    if not rows:
        raise DataError(f"There are no questions in {path}.")
    return rows


def _rows_of_file(file: Path) -> Iterator[QuestionRow]:
    for number, body in read_objects(file):
        with naming_line(file, number):
            row = question_row(body)
        if row is not None:
            yield row


def question_row(body: Mapping[str, Any]) -> QuestionRow | None:
    """Return the question of a line, or None if it has no text.

    Raises:
        ValueError: a value has the wrong type; the message is for the user.
    """
    text = body.get("text")
    if text is None:
        return None
    if not isinstance(text, str):
        raise ValueError("the text is not a string")
    if problem := string_problem(text, TEXT_LIMIT):
        raise ValueError(f"the text {problem}")
    paths = body.get("concepts") or []
    if not isinstance(paths, list) or not all(
        isinstance(path, list) and all(isinstance(name, str) for name in path) for path in paths
    ):
        raise ValueError("concepts is not a list of paths")
    difficulty = body.get("difficulty")
    if difficulty is not None and (isinstance(difficulty, bool) or not isinstance(difficulty, int | float)):
        raise ValueError("the difficulty is not a number")
    if difficulty is not None and abs(difficulty) > sys.float_info.max:
        raise ValueError("the difficulty is not a finite number")
    return QuestionRow(
        text=line_text(body),
        language=str(body.get("language") or "en"),
        paths=tuple(tuple(path) for path in paths if path),
        difficulty=None if difficulty is None else float(difficulty),
        scale=str(body.get("difficulty_scale") or ""),
        solution=str(body.get("solution") or ""),
        id=str(body.get("id") or ""),
        source=_source(body.get("source")),
    )


def _source(value: Any) -> str:
    first = value[0] if isinstance(value, list) and value else value
    return "/".join(first.split("/")[:2]) if isinstance(first, str) else ""


Example = TypeVar("Example")


@dataclass(frozen=True, slots=True)
class Problems:
    """Problems split into training, validation and test sets."""

    learned: tuple[ProblemRecord, ...] = ()
    validation: tuple[ProblemRecord, ...] = ()
    test: tuple[ProblemRecord, ...] = ()

    def without_leaks(self) -> Problems:
        """Return the same sets without training and validation problems that also occur in the test set.

        Differences in formatting are ignored: see `analytics.text.fingerprints.text_key`.
        """
        tested = {text_key(problem.text) for problem in self.test}

        def others(problems: Sequence[ProblemRecord]) -> tuple[ProblemRecord, ...]:
            return tuple(problem for problem in problems if text_key(problem.text) not in tested)

        return Problems(others(self.learned), others(self.validation), self.test)


def read_problems(data: Path, *, language: str = "", fold: int = -1) -> Problems:
    """Read a file or a folder of files; lines without a text are skipped.

    Args:
        data: a file or folder; a single file is all training data.
        language: use the problems of one language only.
        fold: use the problems of this fold as the test set; -1 for none.

    Raises:
        DataError: there are no problems, or a line cannot be read; the message names file and line.
    """
    data = Path(data)
    files = (
        sorted(file for file in data.iterdir() if file.name.endswith((".jsonl", ".jsonl.gz")))
        if data.is_dir()
        else [data]
    )
    if not files or not all(file.is_file() for file in files):
        raise DataError(f"There is no file of problems (.jsonl or .jsonl.gz) at {data}.")
    parts: dict[str, list[ProblemRecord]] = {"learned": [], "validation": [], "test": []}
    for file in files:
        part = _part_of(file) if data.is_dir() else "learned"
        for number, body in read_objects(file):
            with naming_line(file, number):
                problem = problem_record(body)
            if problem is None or language not in ("", problem.language):
                continue
            in_fold = fold >= 0 and problem.fold == fold
            parts["test" if in_fold and part == "learned" else part].append(problem)
    if not parts["learned"]:
        raise DataError(f"There is no problem to learn from in {data}.")
    return Problems(*(tuple(parts[name]) for name in ("learned", "validation", "test")))


def read_to_train(data: Path, *, say: Callable[[str], object], language: str = "", fold: int = -1) -> Problems:
    """Read problems as `read_problems` does, without those that leak from the test set (`Problems.without_leaks`).

    Args:
        data, language, fold: as for `read_problems`.
        say: called with the number of problems left out, if any.

    Raises:
        DataError: nothing is left to learn from, or a line cannot be read.
    """
    read = read_problems(data, language=language, fold=fold)
    problems = read.without_leaks()
    left_out = len(read.learned) + len(read.validation) - len(problems.learned) - len(problems.validation)
    if left_out:
        say(f"Left out, because a test problem has the same text: {left_out:,}.")
    if not problems.learned:
        raise DataError(f"Every problem to learn from in {data} has the text of a test problem.")
    return problems


def set_apart(
    learned: Sequence[Example], validation: Sequence[Example], *, measured: int, rng: np.random.Generator
) -> tuple[list[Example], list[Example]]:
    """Split problems into a training set and a set to evaluate on during training.

    Args:
        learned: training problems.
        validation: validation problems; if empty, up to a tenth of the training problems are held out.
        measured: maximum number of problems to evaluate on.
        rng: random generator for the draw.
    """

    def draw(problems: Sequence[Example], count: int) -> set[int]:
        return set(rng.permutation(len(problems))[:count].tolist())

    if not validation and measured:
        apart = draw(learned, min(measured, len(learned) // 10))
        validation = [example for row, example in enumerate(learned) if row in apart]
        return [example for row, example in enumerate(learned) if row not in apart], validation
    if measured < len(validation):
        drawn = draw(validation, measured)
        validation = [example for row, example in enumerate(validation) if row in drawn]
    return list(learned), list(validation)


def _part_of(file: Path) -> str:
    if file.name.startswith("test"):
        return "test"
    return "validation" if file.name.startswith(("val", "dev")) else "learned"


def problem_record(body: Mapping[str, Any]) -> ProblemRecord | None:
    """Return a line's problem, or None if the line has no text; null counts as absent.

    If the line names no language, it is detected from the text (`detect_language`).

    Raises:
        ValueError: a value has the wrong type, or a text cannot be stored.
    """
    text = body.get("text")
    if text is None:
        return None
    for name in ("text", "equation", "answer", "solution", "program"):
        value = body.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise ValueError(f"the {name} is not a string")
        if value and (problem := string_problem(value, TEXT_LIMIT)):
            raise ValueError(f"the {name} {problem}")
    fold = body.get("fold")
    if fold is not None and (isinstance(fold, bool) or not isinstance(fold, int)):
        raise ValueError("the fold is not a whole number")
    return ProblemRecord(
        id=str(body.get("id") or ""),
        text=text,
        language=str(body.get("language") or detect_language(text)),
        equation=str(body.get("equation") or ""),
        answer=str(body.get("answer") or ""),
        solution=str(body.get("solution") or ""),
        program=str(body.get("program") or ""),
        calculations=_strings(body, "calculations"),
        numbers=_strings(body, "numbers"),
        fold=fold,
        pair=str(body.get("pair") or ""),
    )


def _strings(body: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = body.get(name) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{name} is not a list of strings")
    for value in values:
        if value and (problem := string_problem(value, TEXT_LIMIT)):
            raise ValueError(f"one of the {name} {problem}")
    return tuple(values)
