"""What an import says on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from tqdm import tqdm

from questionbank.errors import LineProblem
from questionbank.services.import_report import ImportReport

__all__ = ["ProgressBar", "write_refused", "write_summary"]

LINES_SHOWN = 50


class ProgressBar:
    """A progress bar on standard error, where that is a terminal; called as an import's `progress`."""

    def __init__(self) -> None:
        self._bar = tqdm(
            total=1,
            file=sys.stderr,
            disable=not sys.stderr.isatty(),
            leave=False,
            bar_format="{desc:<22} {percentage:3.0f}% |{bar}| {elapsed}",
        )

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def __call__(self, done: int, total: int, message: str) -> None:
        if self._bar.disable:
            return
        self._bar.total = total
        self._bar.n = done
        self._bar.set_description_str(message)


def write_refused(stream: Any, problems: Sequence[LineProblem], count: int | None = None) -> None:
    """List the first refused lines and say how many more there are."""
    for problem in problems[:LINES_SHOWN]:
        stream.write(str(problem))
    more = (len(problems) if count is None else count) - min(len(problems), LINES_SHOWN)
    if more > 0:
        stream.write(f"... and {more:,} more")


def write_summary(stream: Any, report: ImportReport) -> None:
    """Say in a few lines what was done, or would be."""
    would = "would be " if report.dry_run else ""
    languages = ", ".join(f"{language} {count:,}" for language, count in report.languages.items())
    figures = {
        f"questions {would}imported": f"{report.created:,}" + (f" ({languages})" if languages else ""),
        f"duplicates {would}linked": f"{report.duplicates:,}",
        "lines refused": f"{report.refused_count:,}",
    }
    if report.concepts_created:
        figures[f"concepts {would}created"] = f"{report.concepts_created:,} in {report.hierarchy!r}"
    stream.write(f"{report.name}, lines read: {report.rows:,}")
    if report.unread_columns:
        stream.write(f"  columns that are not read: {', '.join(report.unread_columns)}")
    for problem in report.formula_problems[:LINES_SHOWN]:
        stream.write(f"  warning, {problem}")
    for label, figure in figures.items():
        stream.write(f"  {label}: {figure}")
    if not report.dry_run:
        stream.write(f"  seconds: {report.seconds:.1f}")
