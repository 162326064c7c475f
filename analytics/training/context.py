"""The environment of a training run: where the model comes from, progress reports, and who gets the result.

Torch-free: `wait_passively` must be called before torch is imported.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType
from typing import Protocol

from analytics.errors import Cancelled, DataError


@dataclass(frozen=True, slots=True)
class StepReport:
    """Progress of a run after an optimiser step.

    Attributes:
        step: optimiser steps done in all stages; `steps` is the total.
        epoch: epoch of the last batch within its stage, starting at 0.
        seconds: time spent training in this stage since it was started or resumed.
        seconds_left: estimated time until the end of this stage.
        metrics: loss terms averaged since the last report, plus metrics after an evaluation.
    """

    step: int
    steps: int
    epoch: int
    seconds: float
    seconds_left: float
    metrics: dict[str, float] = field(default_factory=dict)


class Callback(Protocol):
    """Called every `report_every` steps and after every evaluation."""

    def __call__(self, report: StepReport) -> None:
        """Receive a progress report."""


def progress_lines(say: Callable[[str], object]) -> Callback:
    """Return a callback that reports progress in one line."""

    def tell(report: StepReport) -> None:
        shown = ", ".join(f"{name} {value:.4f}" for name, value in sorted(report.metrics.items()))
        say(f"step {report.step} of {report.steps}, {report.seconds_left / 60:.1f} min left: {shown}")

    return tell


Progress = Callable[[int, int, str], object]
"""Called with (items done, total items, description)."""

Say = Callable[[str], object]
"""Called with one line of plain text."""


def _ignore_progress(_done: int, _total: int, _message: str) -> None:
    return None


def _ignore_line(_line: str) -> None:
    return None


def _ignore() -> None:
    return None


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class TrainingContext:
    """Provenance, progress and cancellation of one training; the defaults suit a notebook.

    Attributes:
        name: the new model's name; by default the capability chooses one.
        parent: checksum of the model that the new one should replace.
        license_note: terms under which the training data may be used.
        command: how to train the same model again.
        checkpoints: folder for the checkpoint; training resumes if it contains one. None disables
            checkpoints.
        callbacks: called with a `StepReport` every few optimiser steps.
        progress: called while data is prepared.
        cancel: polled after every step and between parts of the preparation; True stops the training.
        say: called with one line of text per event.
        saved: called after a checkpoint is written.
    """

    name: str = ""
    parent: str = ""
    license_note: str = ""
    command: str = ""
    checkpoints: Path | None = None
    callbacks: tuple[Callback, ...] = ()
    progress: Progress = _ignore_progress
    cancel: Callable[[], bool] = _never
    say: Say = _ignore_line
    saved: Callable[[], object] = _ignore

    def with_callbacks(self, *callbacks: Callback) -> TrainingContext:
        """Return the same context with further callbacks."""
        return replace(self, callbacks=(*self.callbacks, *callbacks))

    def progress_of(self, message: str) -> Callable[[int, int], None]:
        """Return a function of (done, total) that reports progress with a fixed message."""

        def report(done: int, total: int) -> None:
            self.progress(done, total, message)

        return report

    def check(self, sentence: str) -> None:
        """Raise `Cancelled` with a sentence if the training was asked to stop.

        Raises:
            Cancelled: the training was asked to stop.
        """
        if self.cancel():
            raise Cancelled(sentence)


@contextmanager
def terminated() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM sets while the block runs; only in the main thread."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event
        return

    def handle(_number: int, _frame: FrameType | None) -> None:
        event.set()

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield event
    finally:
        signal.signal(signal.SIGTERM, before)


DEFAULT_CONTEXT = TrainingContext()
"""The default context: no name, no checkpoint, no reports, no cancellation."""


@dataclass(frozen=True, slots=True)
class FileOptions:
    """Command-line options for the files that a model is trained on.

    Attributes:
        backbone: encoder to use instead of the configuration's: packaged name, local folder or hub id.
        language: use the questions of this language only.
        hierarchy: name of the concept hierarchy.
    """

    backbone: str = ""
    language: str = ""
    hierarchy: str = ""

    def refuse_hierarchy(self, learner: str) -> None:
        """Check that no hierarchy was given for a model without concepts.

        Args:
            learner: what is trained, worded as the beginning of a sentence.

        Raises:
            DataError: one was given.
        """
        if self.hierarchy:
            raise DataError(f"{learner} learns no concepts: leave the hierarchy out.")


DEFAULT_FILES = FileOptions()
"""Default options: all questions, with the configuration's encoder."""


def wait_passively() -> None:
    """Make a process's threads yield the processor while they wait; call it at program start.

    By default the threads of an OpenMP loop spin while they wait for one another. On a machine with other load
    (a database, a web server), spinning takes the processor away from that load, and from the thread that the
    others wait for. With passive waiting, encoding was five to ten times as fast on two busy cores (decision 4).

    It does nothing if ``OMP_WAIT_POLICY`` is already set, and has no effect once torch is imported.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
