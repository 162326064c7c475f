"""How much memory this machine, or the container that we run in, has."""

import os
from contextlib import suppress
from pathlib import Path

LITTLE_MEMORY = 6_000_000_000
"""Bytes: a machine with less runs fewer processes, and makes one model at a time."""

_CGROUPS = Path("/sys/fs/cgroup")
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")  # version 2, and version 1


def memory_bytes(cgroups: Path = _CGROUPS) -> int:
    """Return the memory that our processes may use: the machine's, or less where a control group limits it.

    Args:
        cgroups: where control groups are mounted.
    """
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for folder in (cgroups, *_own_groups(cgroups)):
        for name in _LIMITS:
            with suppress(OSError, ValueError):  # not there, or "max"
                sizes.append(int((folder / name).read_text()))
    return min(sizes)


def _own_groups(cgroups: Path) -> list[Path]:
    """Return the folders of our own control group (version 2) and those around it."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            if line.startswith("0::/"):
                own = cgroups / line.removeprefix("0::/")
                return [own, *(each for each in own.parents if each.is_relative_to(cgroups))]
    return []
