"""The files of a bulk job: input read in blocks of rows, in bounded memory, and the folder of results.

Parquet is read by row groups and JSON Lines by lines. The results are one atomically written Parquet file per block,
and a manifest.
"""

from __future__ import annotations

import fcntl
import glob
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from analytics.analysed_text import line_text
from analytics.artifacts import MANIFEST_NAME
from analytics.atomic_file import written_aside
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


Columns = Mapping[str, Any]
"""Values of a block's rows by column name: (rows, dimension) masked vectors, or a list."""

_DIGEST = b"kindred.digest"


def write_block(folder: Path, name: str, ids: Sequence[str], columns: Columns, digest: str) -> None:
    """Write the results of a block; the digest identifies their input.

    Raises:
        OSError: the folder cannot be written.
    """
    arrow, parquet = arrow_modules()
    table = arrow.table({"id": list(ids)} | {key: _column(arrow, values) for key, values in columns.items()})
    table = table.replace_schema_metadata({_DIGEST: digest})
    with written_aside(_block_path(folder, name)) as stream:
        parquet.write_table(table, stream, use_dictionary=False, write_page_checksum=True)


def _column(arrow: Any, values: Any) -> Any:
    if not isinstance(values, np.ma.MaskedArray):
        return arrow.array(values)
    mask = np.ma.getmaskarray(values).all(axis=1)
    return arrow.FixedSizeListArray.from_arrays(
        arrow.array(values.filled(0).ravel()), values.shape[1], mask=arrow.array(mask)
    )


def vectors_of(table: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors of a block's rows, (rows, dimension), and a mask of the rows that have one, (rows,)."""
    column = table["vector"].combine_chunks()
    return np.asarray(column.values).reshape(len(column), -1), np.asarray(column.is_valid())


def read_block(folder: Path, name: str, digest: str) -> Any | None:
    """Return the table of a block, (rows) with its columns; None if it is missing, damaged or has another digest."""
    arrow, parquet = arrow_modules()
    try:
        table = parquet.read_table(_block_path(folder, name), page_checksum_verification=True)
    except (arrow.ArrowException, OSError):
        return None
    return table if (table.schema.metadata or {}).get(_DIGEST) == digest.encode() else None


def _block_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.parquet"


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Create a results folder and lock it for writing; partial files of a killed writer are removed.

    Raises:
        DataError: another process is writing there.
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataError(f"Another command is writing to {folder}.") from None
        for half in folder.glob(".*.parquet.????????"):
            half.unlink()
        yield


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a results folder; None if it is not one.

    Raises:
        DataError: the manifest is damaged.
    """
    path = folder / MANIFEST_NAME
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{path} cannot be read: {error}.") from error
    if not isinstance(body, dict) or not {"about", "blocks", "is_complete"} <= body.keys():
        raise DataError(f"{path} is not the manifest of a folder of results.")
    return body


def finished_manifest(folder: Path, job: str) -> dict[str, Any]:
    """Return the manifest of a folder with the complete results of a job.

    Raises:
        DataError: there are none, or they are incomplete.
    """
    manifest = read_manifest(folder)
    if manifest is None or manifest["about"].get("job") != job:
        raise DataError(f"{folder} holds no results of `python -m analytics {job}`.")
    if not manifest["is_complete"]:
        raise DataError(f"{folder} is not complete: repeat the command that began it.")
    return manifest


def read_results(folder: Path, manifest: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the table of each block.

    Raises:
        DataError: one is missing or damaged.
    """
    for block in manifest["blocks"]:
        table = read_block(folder, block["name"], block["digest"])
        if table is None:
            raise DataError(
                f"{_block_path(folder, block['name'])} is missing or damaged: repeat the command that made it."
            )
        yield table
