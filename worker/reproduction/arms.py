"""The arms of a paper's tables, and the published figures: a TOML file next to the code that runs them."""

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
    """One way to obtain a model, as a row of a table.

    Attributes:
        title: its name in the tables.
        settings: differences from the configuration that all arms share; None if nothing is trained.
    """

    title: str
    settings: Mapping[str, Any] | None = None

    @property
    def trains(self) -> bool:
        """Whether a model is trained."""
        return self.settings is not None


AnyArm = TypeVar("AnyArm", bound=Arm)


def read_arms(folder: Path, kind: type[AnyArm]) -> dict[str, AnyArm]:
    """Return the arms in a folder's file by name, in the file's order; each TOML table has an arm's fields."""
    return {name: kind(**row) for name, row in _read(folder / FILE_NAME)["arms"].items()}


def read_published(folder: Path) -> Any:
    """Return the published figures from the same file."""
    return _read(folder / FILE_NAME)["published"]


@cache
def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
