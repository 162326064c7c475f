"""A gate between the preparation of an installation and the processes that begin to load meanwhile."""

from pathlib import Path

from questionbank.embedded.lock import FileLock


class Gate:
    """Closed from its making until `open`, or until our process ends."""

    def __init__(self, var_dir: Path) -> None:
        self._lock: FileLock | None = FileLock(_path(var_dir))
        self._lock.acquire(timeout=5)  # whoever waits holds it for an instant

    def open(self) -> None:
        """Let the others through."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def wait_until_prepared(var_dir: Path) -> None:
    """Wait while a process of this `VAR_DIR` keeps the gate closed."""
    lock = FileLock(_path(var_dir))
    lock.acquire(shared=True, timeout=float("inf"))
    lock.close()


def _path(var_dir: Path) -> Path:
    return var_dir / "prepare.lock"
