"""What a training run tells while it works; the loop knows nothing else of the world."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StepReport:
    """How far a run is after an optimiser step.

    Attributes:
        step: optimiser steps done, of all stages; `steps` of how many.
        epoch: epoch of the last batch in its stage, from 0.
        seconds: time spent training in this stage since it was started or resumed.
        seconds_left: until the end of this stage, estimated from its steps since then.
        metrics: loss terms averaged since the last report, and after an evaluation its metrics.
    """

    step: int
    steps: int
    epoch: int
    seconds: float
    seconds_left: float
    metrics: dict[str, float] = field(default_factory=dict)


class Callback(Protocol):
    """Called every `report_every` steps, and after every evaluation."""

    def __call__(self, report: StepReport) -> None:
        """Take note of how far the run is."""


def progress_lines(say: Callable[[str], object]) -> Callback:
    """Return a callback that says in one line how far the run is."""

    def tell(report: StepReport) -> None:
        shown = ", ".join(f"{name} {value:.4f}" for name, value in sorted(report.metrics.items()))
        say(f"step {report.step} of {report.steps}, {report.seconds_left / 60:.1f} min left: {shown}")

    return tell
