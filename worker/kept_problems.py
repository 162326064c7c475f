"""The word problems of a training, kept next to its checkpoint: one that goes on learns from the same ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from analytics.errors import ArtifactError
from analytics.problem_files import Problems
from analytics.records import ProblemRecord
from analytics.training.checkpoint import kept_or_made

_NAME = "problems.json.gz"
_PARTS = ("learned", "validation", "test")


def kept_problems(folder: Path, read: Callable[[], Problems]) -> Problems:
    """Return the problems that a stopped training kept, or read them now and keep them.

    Args:
        folder: of the checkpoint.
        read: gets them from the bank.

    Raises:
        ArtifactError: the file cannot be read, or an earlier version of Kindred wrote it.
    """
    rows = kept_or_made(folder / _NAME, lambda: _rows(read()))
    try:
        return Problems(*(tuple(map(_problem, rows[part])) for part in _PARTS))
    except (KeyError, TypeError) as error:
        raise ArtifactError(f"{folder / _NAME} cannot be read; remove it to start over.") from error


def _rows(problems: Problems) -> dict[str, list[dict[str, Any]]]:
    return {part: [asdict(problem) for problem in getattr(problems, part)] for part in _PARTS}


def _problem(row: dict[str, Any]) -> ProblemRecord:
    return ProblemRecord(**(row | {name: tuple(row[name]) for name in ("numbers", "calculations")}))
