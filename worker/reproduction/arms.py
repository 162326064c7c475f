"""The arms of a paper's tables, and what the paper published: a TOML file next to what runs them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

FILE_NAME = "arms.toml"


@dataclass(frozen=True, slots=True)
class Arm:
    """One way to get a model, as a line of a table.

    Attributes:
        title: as the tables say it.
        settings: what differs from the configuration that all arms share; None: nothing is trained.
    """

    title: str
    settings: Mapping[str, Any] | None = None

    @property
    def trains(self) -> bool:
        """Whether a model is trained."""
        return self.settings is not None


AnyArm = TypeVar("AnyArm", bound=Arm)


def read_arms(folder: Path, kind: type[AnyArm]) -> dict[str, AnyArm]:
    """Return the arms of a folder's file by their names, in its order; each table of the file has an arm's fields."""
    return {name: kind(**row) for name, row in _read(folder / FILE_NAME)["arms"].items()}


def read_published(folder: Path) -> Any:
    """Return what the same file says was published."""
    return _read(folder / FILE_NAME)["published"]


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
