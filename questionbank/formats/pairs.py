"""Files of paraphrases: JSON Lines or CSV, gzip too; one pair of `original` and `paraphrase` a line.

Further fields: ``id``, ``language`` (detected where absent), ``label`` (1 valid, 0 not), and ``question``, the number
of a question of the bank, whose text is then the original where none is given. Others are ignored, null means absent.
No ``id`` stands twice.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from analytics.json_lines import decode_line, parse_object, string_problem
from analytics.text.tokens import detect_language
from questionbank.errors import ImportRefused, LineProblem
from questionbank.formats.csv_rows import DecodedLines, table_rows
from questionbank.formats.fields import LANGUAGE_TAG, FieldProblems, read_identifier
from questionbank.formats.limits import LANGUAGE_LIMIT, LINES_LIMIT, TEXT_LIMIT, UNPACKED_LIMIT
from questionbank.formats.lines import first_bytes, read_lines, refuse_unreadable

__all__ = ["PAIR_COLUMNS", "PairRow", "read_pair_file"]

PAIR_COLUMNS = ("id", "original", "paraphrase", "language", "question", "label")
_DELIMITERS = ",;\t"
_LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class PairRow:
    """A pair as its file has it; `original` may be empty where `question` names one."""

    id: str
    original: str
    paraphrase: str
    language: str
    question: int | None
    label: int | None = None


def read_pair_file(
    path: Path, *, unpacked_limit: int = UNPACKED_LIMIT, lines_limit: int = LINES_LIMIT
) -> Iterator[tuple[int, PairRow | LineProblem]]:
    """Yield the pair or the problem of each line that is not blank; the content tells the format.

    Raises:
        ImportRefused: the file as a whole cannot be read, or is larger than the limits.
    """
    refuse_unreadable(path)
    start = first_bytes(path, 4096).lstrip(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise ImportRefused(f"{path.name} is empty.")
    first_line_of: dict[str, int] = {}
    lines = read_lines(path, unpacked_limit=unpacked_limit, lines_limit=lines_limit)
    for number, row in _read_json(lines) if start.startswith((b"{", b"[")) else _read_csv(lines, path):
        if isinstance(row, PairRow) and row.id:
            first = first_line_of.setdefault(row.id, number)
            if first != number:
                row = LineProblem(number, f"the id {row.id!r} stands already in line {first:,}", "id")
        yield number, row


def _read_json(
    lines: Iterator[tuple[int, bytes | LineProblem]],
) -> Iterator[tuple[int, PairRow | LineProblem]]:
    for number, line in lines:
        if isinstance(line, LineProblem):
            yield number, line
        elif line.strip():
            try:
                yield number, _pair(parse_object(decode_line(line.rstrip())))
            except (FieldProblems, ValueError) as error:
                yield number, LineProblem(number, str(error))


def _read_csv(
    lines: Iterator[tuple[int, bytes | LineProblem]], path: Path
) -> Iterator[tuple[int, PairRow | LineProblem]]:
    decoded = DecodedLines(lines)
    names, delimiter = _header(decoded, path)
    for number, row in table_rows(decoded, names, delimiter):
        if isinstance(row, LineProblem):
            yield number, row
            continue
        try:
            yield number, _pair(row)
        except (FieldProblems, ValueError) as error:
            yield number, LineProblem(number, str(error))


def _header(lines: DecodedLines, path: Path) -> tuple[list[str], str]:
    """Return the columns that the first line names, and the delimiter between them.

    Raises:
        ImportRefused: it is no header of ours.
    """
    line = next(lines, "").strip("\r\n")
    if problem := lines.take_bad():
        raise ImportRefused(
            f"The first line of {path.name} is not a header of columns: {problem.reason}.", [problem]
        )
    for delimiter in _DELIMITERS:
        try:
            names = [name.strip().lower() for name in next(csv.reader([line], delimiter=delimiter), [])]
        except csv.Error:  # no header has a cell as large
            continue
        if "paraphrase" in names and ("original" in names or "question" in names):
            break
    else:
        reason = "it needs the columns original and paraphrase"
        raise ImportRefused(
            f"{path.name} is neither JSON Lines nor a CSV table of pairs: {reason}.", [LineProblem(1, reason)]
        )
    twice = next((name for name in PAIR_COLUMNS if names.count(name) > 1), "")
    if twice:
        reason = f"the column {twice} is there twice"
        raise ImportRefused(f"The header of {path.name} is wrong: {reason}.", [LineProblem(1, reason)])
    return names, delimiter


def _pair(row: Mapping[str, Any]) -> PairRow:
    """Check one line.

    Raises:
        FieldProblems, ValueError: a field cannot be used; the message is for the user.
    """
    question = _question(row.get("question"))
    original = _string(row, "original", TEXT_LIMIT)
    paraphrase = _string(row, "paraphrase", TEXT_LIMIT)
    if not original and question is None:
        raise ValueError("original is missing or empty")
    if not paraphrase:
        raise ValueError("paraphrase is missing or empty")
    if original == paraphrase:
        raise ValueError("original and paraphrase are the same text")
    language = _string(row, "language", TEXT_LIMIT).lower()
    if language and (len(language) > LANGUAGE_LIMIT or not LANGUAGE_TAG.fullmatch(language)):
        raise ValueError("language is no language tag such as en or zh")
    return PairRow(
        id=read_identifier(row).strip(),
        original=original,
        paraphrase=paraphrase,
        language=language or detect_language(original or paraphrase),
        question=question,
        label=_label(row.get("label")),
    )


_LABELS = {"1": 1, "0": 0, "1.0": 1, "0.0": 0, "true": 1, "false": 0, "valid": 1, "invalid": 0}


def _label(value: Any) -> int | None:
    if value is None or value == "":
        return None
    label = _LABELS.get(str(value).strip().lower())
    if label is None:
        raise ValueError("label must be 1 (valid) or 0 (not valid)")
    return label


def _string(row: Mapping[str, Any], name: str, limit: int) -> str:
    value = row.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} must be a string")
    if problem := string_problem(value, limit):
        raise ValueError(f"{name} {problem}")
    return value.strip()


def _question(value: Any) -> int | None:
    if value is None or value == "":
        return None
    text = str(value).strip()
    if isinstance(value, bool | float) or not (text.isascii() and text.isdecimal()) or len(text) > 19:
        raise ValueError("question must be the number of a question of the bank")
    if int(text) > _LARGEST_ID:
        raise ValueError("question must be the number of a question of the bank")
    return int(text)
