"""What the commands of all reproductions have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def command_settings(options: Mapping[str, Any]) -> dict[str, str]:
    """Return what ``--set NAME=VALUE`` gave, by name."""
    return dict(setting.partition("=")[::2] for setting in options["set"])
