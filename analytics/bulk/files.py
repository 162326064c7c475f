"""Read files in blocks of rows, in bounded memory: Parquet by row groups, JSON Lines by lines."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from analytics.analysed_text import line_text
from analytics.errors import DataError, EngineError, first_line
from analytics.json_lines import TEXT_LIMIT, naming_line, read_objects, string_problem

_JSON_LINES = (".jsonl", ".jsonl.gz")

Texts = tuple[str, ...]
Row = tuple[str, Texts]
"""The row's id, empty if it has none, and a text for each field."""


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows of a file.

    Attributes:
        name: the file's name and a number; the block's results have the same name.
        rows: those that have every text.
        passed_over: number of skipped rows.
    """

    name: str
    rows: Sequence[Row]
    passed_over: int

    def digest(self, about: str) -> str:
        """Return a SHA-256 of the computation: `about` describes the job, the rows are its input."""
        digest = hashlib.sha256(about.encode())
        for identifier, texts in self.rows:
            digest.update("\0".join((identifier, *texts, "")).encode())
        return digest.hexdigest()


def find_files(patterns: Sequence[str]) -> list[Path]:
    """Return the named files and those that match a pattern, each once.

    Raises:
        DataError: there are none, one is neither Parquet nor JSON Lines, or two have the same name.
    """
    files: dict[str, Path] = {}
    for pattern in patterns:
        names = sorted(glob.glob(pattern, recursive=True)) or [pattern]  # noqa: PTH207 - it may be absolute
        for file in map(Path, names):
            if not file.is_file():
                raise DataError(f"There is no file {file}.")
            if not file.name.endswith((".parquet", *_JSON_LINES)):
                raise DataError(f"{file} is neither Parquet (.parquet) nor JSON Lines (.jsonl, .jsonl.gz).")
            if files.setdefault(file.name, file).resolve() != file.resolve():
                raise DataError(f"{files[file.name]} and {file} have the same name: rename one of them.")
    return list(files.values())


def read_blocks(file: Path, fields: Sequence[str], size: int) -> Iterator[Block]:
    """Yield a file's blocks of at most `size` rows, in order; no block spans two row groups.

    Raises:
        DataError: the file or a row cannot be read.
    """
    parts = _json_parts if file.name.endswith(_JSON_LINES) else _parquet_parts
    for number, part in enumerate(parts(file, fields, size)):
        kept = [row for row in part if row is not None]
        yield Block(f"{file.name}-{number:06d}", kept, len(part) - len(kept))


def _json_parts(file: Path, fields: Sequence[str], size: int) -> Iterator[list[Row | None]]:
    lines = read_objects(file)
    while part := list(islice(lines, size)):
        rows = []
        for number, body in part:
            with naming_line(file, number):
                rows.append(_row(_analysed(body), fields))
        yield rows


def _parquet_parts(file: Path, fields: Sequence[str], size: int) -> Iterator[list[Row | None]]:
    arrow, parquet = arrow_modules()
    number = 0
    try:
        with parquet.ParquetFile(file, page_checksum_verification=True) as opened:
            names = opened.schema_arrow.names
            if missing := [field for field in fields if field not in names]:
                raise DataError(f"{file} has no column {missing[0]!r}; it has {', '.join(names)}.")
            columns = [name for name in ("id", *fields) if name in names]
            for group in range(opened.num_row_groups):
                for batch in opened.iter_batches(size, row_groups=[group], columns=columns):
                    rows = []
                    for body in batch.to_pylist():
                        number += 1
                        rows.append(_row(body, fields))
                    yield rows
    except (arrow.ArrowException, OSError) as error:
        raise DataError(f"{file} cannot be read as Parquet: {reason_of(error)}") from error
    except ValueError as error:
        raise DataError(f"{file.name}, row {number}: {error}.") from error


def _analysed(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the line with the analysed text as its text; a question with parts, for example, has a longer one."""
    is_question = isinstance(body.get("text"), str) and (body.get("grading") or body.get("options"))
    return {**body, "text": line_text(body)} if is_question else body


def _row(body: Mapping[str, Any], fields: Sequence[str]) -> Row | None:
    """Return a row, or None if it lacks a text, as the concepts in question files do."""
    texts = tuple(body.get(field) for field in fields)
    for field, text in zip(fields, texts, strict=True):
        if text is not None and not isinstance(text, str):
            raise ValueError(f"{field} is not a string")
        if text and (problem := string_problem(text, TEXT_LIMIT)):
            raise ValueError(f"{field} {problem}")
    identifier = body.get("id")
    if not all(text and not text.isspace() for text in texts):
        return None
    return "" if identifier is None else str(identifier), texts  # type: ignore[return-value]


def arrow_modules() -> tuple[Any, Any]:
    """Return pyarrow and its module for Parquet.

    Raises:
        EngineError: pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise EngineError("Parquet files need pyarrow: install it with pip install '.[scale]'.") from None
    return pyarrow, pyarrow.parquet


def reason_of(error: BaseException) -> str:
    """Return another program's error message, worded as the end of a sentence."""
    return first_line(error).removesuffix(".") + "."
