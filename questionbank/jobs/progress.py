"""Progress of a job whose own database connection is busy.

While COPY is active, its connection accepts no other statement, and rows written inside the import's transaction
would be invisible to others; a row of the runs table locked there would also block a request to cancel.
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
"""Called with (done, total, current activity)."""


class JobReporter(Protocol):
    """The interface that `worker.reporting` offers to a job."""

    result: Mapping[str, Any]

    def progress(self, done: int, total: int, message: str = "") -> None: ...

    def log(self, text: str, level: str = "info") -> None: ...

    def should_stop(self) -> bool: ...


@contextmanager
def progress_beside(tell: Tell) -> Iterator[Tell]:
    """Yield a function that only stores the state; a thread with its own connection calls `tell`.

    Only the latest state is reported. An error while reporting does not end the job.
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
