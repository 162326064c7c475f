"""How much memory a benchmark takes."""

from __future__ import annotations

import resource


def peak_megabytes() -> float:
    """Return the most memory that this process has held so far, without its children, such as the database."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
