"""What a training reported, for tests to look at."""

from __future__ import annotations

from analytics.training.context import StepReport


class History:
    """A callback that keeps every report."""

    def __init__(self) -> None:
        self.reports: list[StepReport] = []

    def __call__(self, report: StepReport) -> None:
        self.reports.append(report)

    def series(self, name: str) -> list[tuple[int, float]]:
        """Return (step, value) pairs of one metric."""
        return [(report.step, report.metrics[name]) for report in self.reports if name in report.metrics]

    def last(self, name: str) -> float | None:
        """Return the newest value of one metric to four places, None where there is none."""
        series = self.series(name)
        return round(series[-1][1], 4) if series else None
