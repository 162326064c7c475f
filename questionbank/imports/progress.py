"""Progress of a job whose own database connection is busy.

While COPY is open its connection takes no other statement, and inside the import's transaction nobody
would see what it writes; a row of runs locked there would also keep a cancel request waiting.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

from django.db import Error as DatabaseError
from django.db import connection

INTERVAL = 0.5  # seconds

Tell = Callable[[int, int, str], None]
"""Called with (done, total, what it is doing)."""


class JobReporter(Protocol):
    """What `worker.reporting` gives to a job."""

    result: Mapping[str, Any]

    def progress(self, done: int, total: int, message: str = "") -> None: ...

    def log(self, text: str, level: str = "info") -> None: ...

    def should_stop(self) -> bool: ...


@contextmanager
def progress_beside(tell: Tell) -> Iterator[Tell]:
    """Yield a function that only remembers; a thread with a connection of its own calls `tell`.

    Only the latest state is reported. An error of the report does not end the job.
    """
    latest: list[tuple[int, int, str]] = []
    is_finished = threading.Event()

    def work() -> None:
        reported = None
        try:
            while not is_finished.wait(INTERVAL):
                if latest and latest[-1] is not reported:
                    reported = latest[-1]
                    try:
                        tell(*reported)
                    except DatabaseError:
                        connection.close()
        finally:
            connection.close()

    def remember(done: int, total: int, message: str) -> None:
        latest[:] = [(done, total, message)]

    thread = threading.Thread(target=work, name="import-progress", daemon=True)
    thread.start()
    try:
        yield remember
    finally:
        is_finished.set()
        thread.join()
