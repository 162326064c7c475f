"""The release that this code is (docs/upgrading.md)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

_PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@cache
def release() -> str:
    """Return the number of this release, such as ``0.11.0``; between releases it ends with ``.dev0``."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    return str(project["version"])
