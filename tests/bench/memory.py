"""How much memory a benchmark takes."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path


def peak_megabytes(of: int = resource.RUSAGE_SELF) -> float:
    """Return the most memory that this process, or the largest of its children that have ended, has held so far."""
    return resource.getrusage(of).ru_maxrss / 1024


@contextmanager
def peak_of_server() -> Iterator[list[int]]:
    """Watch this connection's process of PostgreSQL: the list's one figure is the most MB that it held, buffers too."""
    from django.db import connection

    status = Path(f"/proc/{connection.connection.info.backend_pid}/status")
    peak, is_done = [0], threading.Event()

    def watch() -> None:
        while not is_done.wait(0.5):
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
            peak[0] = max(peak[0], int(fields["VmRSS"].split()[0]) // 1024)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield peak
    finally:
        is_done.set()
        watching.join()


def build_index(name: str, index: str, build: Callable[[], object]) -> None:
    """Build an index and print what that takes."""
    from django.db import connection

    began = time.perf_counter()
    with peak_of_server() as peak:
        build()
    seconds = time.perf_counter() - began
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_relation_size(%s) >> 20, current_setting('maintenance_work_mem')", [index])
        megabytes, allowed = cursor.fetchone()
    print(
        f"{name}: indexed in {seconds:.0f} s, {megabytes:,} MB; the server's process held {peak[0]:,} MB with its"
        f" buffers, maintenance_work_mem {allowed}",
        flush=True,
    )
