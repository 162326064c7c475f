"""A disk of the instance's own, which can become full and empty again."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SIZE = 3 * 1024**3  # more than Kindred calls little; only what it holds takes memory


class NoDisk(Exception):
    """No disk can be mounted here; the message says why."""


class Disk:
    """A tmpfs; its size can be changed while files are open.

    Raises:
        NoDisk: mounting is not allowed here.
    """

    def __init__(self, folder: Path, size: int = SIZE) -> None:
        self.folder, self._size = folder, size
        if os.geteuid() != 0:
            raise NoDisk("only root can mount a disk to fill")
        options = f"size={size},mode=755"
        try:
            done = subprocess.run(
                ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)],
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise NoDisk("there is no mount command to make a disk to fill") from error
        if done.returncode:
            raise NoDisk(f"a disk to fill cannot be mounted: {done.stderr.strip()}")

    def shrink(self, *, spare: int) -> None:
        """Leave hardly more than `spare` bytes free."""
        for _attempt in range(50):  # what it holds grows meanwhile, and no disk is smaller than its files
            held = os.statvfs(self.folder)
            used = (held.f_blocks - held.f_bfree) * held.f_frsize
            if self._resize(used + spare):
                return
        raise AssertionError("the disk could not be filled")

    def grow(self) -> None:
        """Give the space back."""
        assert self._resize(self._size)

    def _resize(self, size: int) -> bool:
        words = ["mount", "-o", f"remount,size={size}", str(self.folder)]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    def close(self) -> None:
        """Unmount it, whoever still has files open."""
        subprocess.run(["umount", "--lazy", str(self.folder)], capture_output=True, check=False)


@contextmanager
def own_disk(folder: Path, size: int = SIZE) -> Iterator[Disk | NoDisk]:
    """A disk mounted on an empty folder, or why there is none."""
    try:
        disk = Disk(folder, size)
    except NoDisk as reason:
        yield reason
        return
    try:
        yield disk
    finally:
        disk.close()
