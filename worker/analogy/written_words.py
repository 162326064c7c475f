"""The progress of a job while a language model writes."""

from __future__ import annotations

from analytics.errors import Cancelled
from worker.reporting import RunReporter


class WrittenWords:
    """Called with each piece of an answer: counts its words, and ends it where the run was cancelled.

    Raises:
        Cancelled: it was.
    """

    def __init__(self, reporter: RunReporter, name: str) -> None:
        self._reporter, self._name, self._text = reporter, name, ""

    def __call__(self, piece: str) -> None:
        if self._reporter.should_stop():
            raise Cancelled
        self._text += piece
        words = len(self._text.split())
        message = f"{self._name} has written {words} words"
        self._reporter.progress(0, 0, message)
