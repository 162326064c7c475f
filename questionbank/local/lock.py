"""Locks on files, and the gate between preparing an installation and those who load meanwhile."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from questionbank.local.errors import EmbeddedError

_POLL_SECONDS = 0.05
_PATIENCE = 120  # seconds


class FileLock:
    """One open lock file. Not locked until `acquire`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)

    def acquire(self, *, shared: bool = False, timeout: float = 0) -> bool:
        """Take the lock, or change its kind; True when it was got within `timeout` seconds.

        Changing a shared lock into an exclusive one loses the shared one, even where it then fails.
        """
        operation = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(self._descriptor, operation)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    return False
                time.sleep(_POLL_SECONDS)
            else:
                return True

    def write(self, text: str) -> None:
        """Replace what the file says, for others to read while the lock is held."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)

    def read(self) -> str:
        """Return what the holder wrote."""
        return os.pread(self._descriptor, 4096, 0).decode(errors="replace")

    def close(self) -> None:
        """Let go. In a forked child this closes the child's copy only and leaves the parent's lock alone."""
        os.close(self._descriptor)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold `path` alone for the length of the block.

    Raises:
        EmbeddedError: Another process has held it for longer than two minutes.
    """
    lock = FileLock(path)
    try:
        if not lock.acquire(timeout=_PATIENCE):
            raise EmbeddedError(f"Another process has held {path} for over {_PATIENCE} seconds.")
        yield
    finally:
        lock.close()


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
