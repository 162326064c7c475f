"""The results folder: one atomically written Parquet file per block, and a manifest."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from analytics.artifacts import MANIFEST_NAME
from analytics.atomic_file import written_aside
from analytics.bulk.files import arrow_modules
from analytics.errors import DataError

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
        raise DataError(f"{folder} is not complete: give the command that began it again.")
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
                f"{_block_path(folder, block['name'])} is missing or damaged: give the command that made it again."
            )
        yield table
