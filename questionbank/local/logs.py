"""Logs that never raise and never grow without bound.

A full disk must not end the supervisor: lines that cannot be written are counted and dropped.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from questionbank.local.folders import open_log

MAX_LOG_BYTES = 10_000_000


class Log:
    """The log of one program, rotated to `<name>.1` whenever it exceeds 10 MB."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lost = 0
        self._file = None
        self._bytes = 0
        self._open()

    def _open(self) -> None:
        with suppress(OSError):
            self._file = open_log(self._path, max_bytes=MAX_LOG_BYTES)
            self._bytes = os.fstat(self._file.fileno()).st_size

    def write(self, line: bytes) -> None:
        """Append a line, or count it as lost."""
        if self._file is None or self._bytes > MAX_LOG_BYTES:
            self.close()
            self._open()
        note = b"%d lines are missing here: they could not be written\n" % self._lost if self._lost else b""
        text = note + line + b"\n"
        try:
            if self._file is None:
                raise OSError
            written = self._file.write(text) or 0
        except OSError:
            self._lost += 1
        else:
            self._bytes += written
            self._lost = 0 if written == len(text) else self._lost + 1

    def close(self) -> None:
        """Close the file; the next write opens it again."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None


def rotate_in_place(path: Path) -> None:
    """Rotate a log that a server keeps open: copy it, then truncate it (the server appends)."""
    with suppress(OSError):
        if path.stat().st_size <= MAX_LOG_BYTES:
            return
        try:
            shutil.copyfile(path, path.with_name(path.name + ".1"))
        finally:  # even without room for a copy: the log must not fill the disk
            os.truncate(path, 0)
