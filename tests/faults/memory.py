"""A process that the kernel kills because it takes more memory than it may."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.faults.instance import Skipped

_GROUPS = Path("/sys/fs/cgroup")


@contextmanager
def little_memory(pid: int, *, spare: int) -> Iterator[None]:
    """Put a process into a control group in which it may take hardly more than so many bytes.

    Raises:
        Skipped: no such group can be made here.
    """
    is_unified = (_GROUPS / "cgroup.procs").exists()
    parent = _GROUPS if is_unified else _GROUPS / "memory"
    limit = "memory.max" if is_unified else "memory.limit_in_bytes"
    group = parent / f"kindred-faults-{os.getpid()}"
    try:
        group.mkdir()
        (group / limit).write_text(str(1_000_000 + spare))
        (group / "cgroup.procs").write_text(str(pid))
    except OSError as error:
        with suppress(OSError):
            group.rmdir()
        raise Skipped(f"no control group can be made here: {error}") from error
    try:
        yield
    finally:
        with suppress(OSError):
            (parent / "cgroup.procs").write_text(str(pid))
        for _attempt in range(50):
            with suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)
