"""File locks, and the gate that makes processes wait while an installation is being prepared."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from questionbank.core.errors import EmbeddedError

_POLL_SECONDS = 0.05
_PATIENCE = 120  # seconds


class FileLock:
    """An open lock file, unlocked until `acquire`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)

    def acquire(self, *, shared: bool = False, timeout: float = 0) -> bool:
        """Acquire the lock, or change its kind; return whether that succeeded within `timeout` seconds.

        Changing a shared lock into an exclusive one loses the shared one, even if it then fails.
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
        """Replace the file's content, which others can read while the lock is held."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, text.encode(), 0)

    def read(self) -> str:
        """Return the holder's text."""
        return os.pread(self._descriptor, 4096, 0).decode(errors="replace")

    def close(self) -> None:
        """Release the lock. In a forked child this only closes the child's copy and leaves the parent's lock alone."""
        os.close(self._descriptor)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on `path` for the duration of the block.

    Raises:
        EmbeddedError: Another process has held it for more than two minutes.
    """
    lock = FileLock(path)
    try:
        if not lock.acquire(timeout=_PATIENCE):
            raise EmbeddedError(f"Another process has held {path} for over {_PATIENCE} seconds.")
        yield
    finally:
        lock.close()


class Gate:
    """A gate that is closed from its creation until `open`, or until our process exits."""

    def __init__(self, var_dir: Path) -> None:
        self._lock: FileLock | None = FileLock(_path(var_dir))
        self._lock.acquire(timeout=5)  # waiting processes only hold it for an instant

    def open(self) -> None:
        """Let the waiting processes through."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def wait_until_prepared(var_dir: Path) -> None:
    """Wait while a process of this `VAR_DIR` keeps its gate closed."""
    lock = FileLock(_path(var_dir))
    lock.acquire(shared=True, timeout=float("inf"))
    lock.close()


def _path(var_dir: Path) -> Path:
    return var_dir / "prepare.lock"
