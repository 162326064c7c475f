"""What the small commands ``python -m analytics....`` have in common. Torch-free."""

from __future__ import annotations

import sys
from collections.abc import Callable

from analytics.errors import AnalyticsError


def run_command(command: Callable[[], str]) -> int:
    """Print what a command returns, or the sentence of a known error on standard error; the exit code."""
    try:
        sys.stdout.write(f"{command()}\n")
    except AnalyticsError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
