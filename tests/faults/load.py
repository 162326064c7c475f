"""People who read pages all the time while faults happen."""

from __future__ import annotations

import threading
from collections import Counter

from tests.faults.instance import Instance

PAGES = ("/", "/questions/", "/questions/?q=what+is+12", "/jobs/", "/concepts/", "/health/")


class Readers:
    """Threads that read pages in turn; `statuses` counts what they got (0: nobody answered)."""

    def __init__(self, instance: Instance, count: int = 2) -> None:
        self.statuses: Counter[int] = Counter()
        self.without_retry_after = 0
        self._instance = instance
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._read, args=(n,), daemon=True) for n in range(count)]

    def __enter__(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(timeout=60)

    def _read(self, number: int) -> None:
        while not self._ended.is_set():
            path = PAGES[number % len(PAGES)]
            number += 1
            status, headers = self._instance.get(path)
            self.statuses[status] += 1
            if status == 503 and path != "/health/" and "Retry-After" not in headers:
                self.without_retry_after += 1
            self._ended.wait(0.3)
