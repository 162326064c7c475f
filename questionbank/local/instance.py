"""One supervisor per VAR_DIR, on a port of its own, and the machine's memory."""

import json
import os
import socket
from contextlib import suppress
from pathlib import Path

from questionbank.core.errors import AlreadyRunning, EmbeddedError
from questionbank.core.file_lock import FileLock


class Instance:
    """The right to be the only supervisor of a VAR_DIR: a lock that also identifies its holder."""

    def __init__(self, var_dir: Path) -> None:
        """Acquire the lock.

        Raises:
            AlreadyRunning: Another process holds it; the message says which, and on which port.
        """
        self._lock = FileLock(var_dir / "serve.lock")
        if not self._lock.acquire():
            holder = self._lock.read()
            self._lock.close()
            raise AlreadyRunning(f"Kindred already runs in {var_dir}{_describe(holder)}.")
        self.publish()

    def publish(self, *, port: int | None = None) -> None:
        """Write our process id and, once known, the site's port to the lock file."""
        self._lock.write(json.dumps({"pid": os.getpid(), "port": port}))

    def close(self) -> None:
        """Release the lock."""
        self._lock.close()


def free_port(preferred: int = 8000, host: str = "127.0.0.1") -> int:
    """Return `preferred`, or the next port after it that is free.

    Raises:
        EmbeddedError: A hundred consecutive ports are taken.
    """
    for port in range(preferred, min(preferred + 100, 65536)):
        with socket.socket() as candidate:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                candidate.bind((host, port))
            except OSError:
                continue
            return port
    raise EmbeddedError(f"No free port from {preferred} on.")


def _describe(holder: str) -> str:
    try:
        details = json.loads(holder)
        where = f", http://127.0.0.1:{details['port']}/" if details["port"] else ", still starting"
        return f": process {details['pid']}{where}"
    except (ValueError, KeyError, TypeError):
        return ""  # it has only just acquired the lock


LITTLE_MEMORY = 6_000_000_000
"""Bytes; a machine with less runs fewer processes, and exports one model at a time."""

_CGROUPS = Path("/sys/fs/cgroup")
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")  # cgroup version 2 and version 1


def memory_bytes(cgroups: Path = _CGROUPS) -> int:
    """Return the memory available to our processes: the machine's, or less if limited by a control group.

    Args:
        cgroups: where control groups are mounted.
    """
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for folder in (cgroups, *_own_groups(cgroups)):
        for name in _LIMITS:
            with suppress(OSError, ValueError):  # missing, or "max"
                sizes.append(int((folder / name).read_text()))
    return min(sizes)


def _own_groups(cgroups: Path) -> list[Path]:
    """Return the folders of our own control group (version 2) and its ancestors."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            if line.startswith("0::/"):
                own = cgroups / line.removeprefix("0::/")
                return [own, *(each for each in own.parents if each.is_relative_to(cgroups))]
    return []
