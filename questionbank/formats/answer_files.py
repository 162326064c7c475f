"""Commands that turn a file of questions or pairs into a file of answers, line by line.

A line that cannot be read is reported with its number and the reason; the others are processed. The output is
written to a temporary file and renamed at the end, so nobody sees a partial file.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from analytics.analysed_text import line_text
from analytics.json_lines import TEXT_LIMIT, decode_line, parse_object, string_problem
from analytics.question_files import problem_record
from analytics.records import ProblemRecord
from questionbank.core.errors import ImportRefused, KindredError, LineProblem
from questionbank.core.storage import written_aside
from questionbank.formats.fields import FieldProblems, read_identifier, read_question
from questionbank.formats.lines import read_lines, refuse_unreadable

BATCH = 256  # questions encoded together
_READ_FIELDS = ("id", "text", "language")
_SOLUTION_FIELDS = ("equation", "program", "calculations", "numbers", "answer", "solution")


@dataclass(frozen=True, slots=True)
class InputQuestion:
    """One line of the input; `id` is returned as given, or the line number if the line has no id.

    Attributes:
        text: the analysed text (`analytics.analysed_text`).
        is_in_parts: whether it asks several questions.
    """

    id: str | int | float
    text: str
    language: str
    is_in_parts: bool = False


@dataclass(frozen=True, slots=True)
class InputPair:
    """One line of the input; `id` is returned as given, or the line number if the line has no id."""

    id: str | int | float
    original: str
    paraphrase: str


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One line of a corpus; `id` is returned as given, or the line number if the line has no id.

    Attributes:
        unreadable: the fields of its solution that have the wrong type or a value that cannot be text.
    """

    id: str | int | float
    problem: ProblemRecord
    unreadable: tuple[str, ...] = ()


Entry = TypeVar("Entry")
Convert = Callable[[Sequence[Entry]], Sequence[Mapping[str, Any]]]


def convert_questions(
    *, source: Path, target: Path, convert: Convert[InputQuestion], report: Callable[[str], object]
) -> int:
    """Read questions as JSON Lines, convert them in batches and write one JSON object per line.

    Args:
        source: JSON Lines, optionally gzipped; only ``id``, ``text``, ``language``, ``options`` and ``grading`` are
            read.
        target: gzipped if its name ends in ``.gz``.
        convert: returns one object for each question of a batch, in order.
        report: called with each line that cannot be read, with its number and the reason.

    Returns:
        The number of questions written.

    Raises:
        ImportRefused: the file as a whole cannot be read; nothing is written.
        ValidationFailed: the output file cannot be written.
        KindredError: some lines could not be read; the others are written.
    """
    nothing = f"{source.name} contains no questions."
    return _convert_file(source, target, read_input_questions, convert, report, nothing)


def convert_pairs(*, source: Path, target: Path, convert: Convert[InputPair], report: Callable[[str], object]) -> int:
    """Convert pairs like `convert_questions`, from lines with ``id``, ``original`` and ``paraphrase``.

    Raises:
        ImportRefused, ValidationFailed, KindredError: as for `convert_questions`.
    """
    nothing = f"{source.name} contains no pairs."
    return _convert_file(source, target, read_input_pairs, convert, report, nothing)


def write_text(target: Path, text: str) -> None:
    """Write a file completely or not at all.

    Raises:
        ValidationFailed: the file cannot be written.
    """
    with written_aside(target) as raw:
        raw.write(text.encode("utf-8"))


def _convert_file(
    source: Path,
    target: Path,
    read: Callable[[Path], Iterator[Entry | LineProblem]],
    convert: Convert[Entry],
    report: Callable[[str], object],
    nothing: str,
) -> int:
    refuse_unreadable(source)
    with written_aside(target) as raw:
        stream = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if target.suffix == ".gz" else raw
        written, refused = _convert_all(read(source), stream, convert, report)
        if written + refused == 0:
            raise ImportRefused(nothing)
        if stream is not raw:
            stream.close()
    if refused and not written:
        raise KindredError(f"None of the {refused} lines could be read; {target} is empty.")
    if refused:
        raise KindredError(f"{refused} of {written + refused} lines could not be read; the others are in {target}.")
    return written


def _convert_all(
    entries: Iterator[Entry | LineProblem],
    stream: IO[bytes] | gzip.GzipFile,
    convert: Convert[Entry],
    report: Callable[[str], object],
) -> tuple[int, int]:
    written = refused = 0
    batch: list[Entry] = []

    def finish() -> None:
        for row in convert(batch):
            stream.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")
        batch.clear()

    for entry in entries:
        if isinstance(entry, LineProblem):
            refused += 1
            report(str(entry))
            continue
        batch.append(entry)
        written += 1
        if len(batch) == BATCH:
            finish()
    if batch:
        finish()
    return written, refused


def read_input_questions(path: Path) -> Iterator[InputQuestion | LineProblem]:
    """Yield the question, or the problem, of each line that is not blank.

    Raises:
        ImportRefused: the rest of the file cannot be read, for example because its gzip data is damaged.
    """
    return _read_entries(path, _question)


def read_input_pairs(path: Path) -> Iterator[InputPair | LineProblem]:
    """Yield the pair, or the problem, of each line that is not blank.

    Raises:
        ImportRefused: the rest of the file cannot be read, for example because its gzip data is damaged.
    """
    return _read_entries(path, _pair)


def read_input_problems(path: Path) -> Iterator[InputProblem | LineProblem]:
    """Yield the word problem, or what is wrong with it, for each line that is not blank; repeated ids are refused.

    A line keeps its text if its equation or another field of its solution cannot be read; see
    `InputProblem.unreadable`.

    Raises:
        ImportRefused: the file, or the rest of it, cannot be read, for example because its gzip data is damaged.
    """
    refuse_unreadable(path)
    seen: set[str | int | float] = set()

    def problem(number: int, row: Mapping[str, Any]) -> InputProblem:
        entry = _problem(number, row)
        if entry.id in seen:
            raise ValueError(f"the id {entry.id!r} occurs for the second time")
        seen.add(entry.id)
        return entry

    return _read_entries(path, problem)


def _read_entries(path: Path, make: Callable[[int, Mapping[str, Any]], Entry]) -> Iterator[Entry | LineProblem]:
    for number, line in read_lines(path):
        if isinstance(line, LineProblem):
            yield line
        elif line.strip():
            try:
                yield make(number, parse_object(decode_line(line.rstrip())))
            except (FieldProblems, ValueError) as error:
                yield LineProblem(number, str(error))


def _pair(number: int, row: Mapping[str, Any]) -> InputPair:
    read_identifier(row)
    texts = []
    for name in ("original", "paraphrase"):
        text = row.get(name)
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"{name} must be a string that is not empty")
        if problem := string_problem(text, TEXT_LIMIT):
            raise ValueError(f"{name} {problem}")
        texts.append(text)
    identifier = row.get("id")
    return InputPair(str(number) if identifier is None else identifier, texts[0], texts[1])


def _problem(number: int, row: Mapping[str, Any]) -> InputProblem:
    read_identifier(row)
    unreadable: tuple[str, ...] = ()
    try:
        record = problem_record(row)
    except ValueError:
        unreadable = tuple(name for name in _SOLUTION_FIELDS if not _is_readable(name, row.get(name)))
        record = problem_record({name: value for name, value in row.items() if name not in unreadable})
    if record is None or not record.text.strip():
        raise ValueError("text must be a string that is not empty")
    identifier = row.get("id")
    return InputProblem(str(number) if identifier is None else identifier, record, unreadable)


def _is_readable(name: str, value: object) -> bool:
    try:
        problem_record({"text": "", name: value})
    except ValueError:
        return False
    return True


def _question(number: int, row: Mapping[str, Any]) -> InputQuestion:
    record = read_question({name: row[name] for name in _READ_FIELDS if name in row})
    identifier = row.get("id")
    grading = row.get("grading")
    return InputQuestion(
        id=str(number) if identifier is None else identifier,
        text=line_text({**row, "text": record.text}),
        language=record.language,
        is_in_parts=bool(grading and grading.get("parts")),
    )
