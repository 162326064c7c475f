"""Clears up after a campaign that is itself killed: its servers end, its disk is unmounted, its folder goes.

What the campaign starts dies with it (`die_with_parent.py`); servers do not, because they belong to nobody. The
guardian is a process of its own that waits for the end of a pipe, which comes when the campaign ends, however it ends.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parents[2]


@contextmanager
def guarded(folder: Path) -> Iterator[None]:
    """Have what belongs to an instance's folder cleared up where this process is killed meanwhile."""
    words = [sys.executable, "-m", "tests.faults.guardian", str(folder)]
    guardian = subprocess.Popen(words, cwd=BASE_DIR, stdin=subprocess.PIPE, start_new_session=True)
    assert guardian.stdin is not None
    try:
        yield
    finally:
        with suppress(BrokenPipeError), guardian.stdin as pipe:
            pipe.write(b"done\n")
        guardian.wait()


def clear_up(folder: Path) -> None:
    """End an instance's programs and servers, stopped ones too, unmount its disk and remove its folders."""
    from questionbank.core.locations import postgres_location

    for _attempt in range(3):  # a supervisor in its last moment may start one again
        for pid in _processes(folder):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(1)
    shutil.rmtree(postgres_location(folder / "disk" / "var").home, ignore_errors=True)
    subprocess.run(["umount", "--lazy", str(folder / "disk")], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def _processes(folder: Path) -> Iterator[int]:
    """Yield the process ids of whatever names the folder in its command line or environment, and of its children."""
    from tests.faults.instance import children_of

    named = f"{folder}/".encode()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if named in (path / "cmdline").read_bytes() + (path / "environ").read_bytes():
                yield from (int(path.name), *children_of(int(path.name)))


if __name__ == "__main__":
    if sys.stdin.buffer.read() != b"done\n":
        clear_up(Path(sys.argv[1]))
