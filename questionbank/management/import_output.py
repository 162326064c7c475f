"""Terminal output of an import."""

from __future__ import annotations

import sys
from typing import Any

from tqdm import tqdm

from questionbank.imports.report import ImportReport

REASONS_SHOWN = 50
CHANGES_SHOWN = 20


class ProgressBar:
    """A progress bar on standard error, if that is a terminal; called as an import's `progress`."""

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


def write_refused(stream: Any, report: ImportReport) -> None:
    """Write why lines are refused, one sentence per reason, and what can be done."""
    groups = report.reasons.ordered()
    for group in groups[:REASONS_SHOWN]:
        stream.write(str(group))
    if len(groups) > REASONS_SHOWN:
        stream.write(f"... and {len(groups) - REASONS_SHOWN:,} more reasons")
    if report.stopped_at:
        stream.write(f"Reading stopped at line {report.stopped_at:,}: no line before it can be imported.")
    if report.to_leave_out:
        options = " ".join(f"--without {field}" for field in report.to_leave_out)
        stream.write(f"To import these lines without what cannot be read: {options}")


def write_summary(stream: Any, report: ImportReport) -> None:
    """Write a summary of how the file is read, and what was done or would be done."""
    stream.write(f"{report.name}, lines read: {report.rows:,} ({report.read_as})")
    if report.layout is not None:
        columns = ", ".join(f"{name} -> {field}" for name, field in report.layout.pairs)
        stream.write(f"  columns: {columns}")
    if report.unread_columns:
        stream.write(f"  columns that are not read: {', '.join(report.unread_columns)}")
    if report.without:
        stream.write(f"  left out: {', '.join(report.without)}")
    for note in report.notes:
        stream.write(f"  {note}")
    for group in report.warnings.ordered()[:REASONS_SHOWN]:
        stream.write(f"  warning, {group}")
    for label, figure in _figures(report).items():
        stream.write(f"  {label}: {figure}")
    _write_changes(stream, report)
    if not report.dry_run:
        stream.write(f"  seconds: {report.seconds:.1f}")


def _figures(report: ImportReport) -> dict[str, str]:
    would = "would be " if report.dry_run else ""
    languages = ", ".join(f"{language} {count:,}" for language, count in report.languages.items())
    figures = {
        f"questions {would}imported": f"{report.created:,}" + (f" ({languages})" if languages else ""),
        f"duplicates {would}linked": f"{report.duplicates:,}",
        "lines refused": f"{report.refused_count:,}",
    }
    if (known := report.known) is not None:
        figures |= {
            f"questions {would}updated": f"{known.updated:,}",
            "unchanged since the last import": f"{known.unchanged:,}",
            "edited in the bank and changed in the file": f"{known.conflicts:,}",
            "of this set and not in the file": f"{known.vanished:,}",
        }
    if report.concepts_created:
        figures[f"concepts {would}created"] = f"{report.concepts_created:,} in {report.hierarchy!r}"
    if report.templates:
        figures["templates whose numbers their source draws"] = f"{report.templates:,}"
    if report.without_figure:
        figures["questions that lack a figure"] = f"{report.without_figure:,}"
    return figures


def _write_changes(stream: Any, report: ImportReport) -> None:
    known = report.known
    if known is not None and known.conflicts and not report.dry_run:
        stream.write("  Choose between both versions on the page of this import (Jobs).")
    if report.changed_elsewhere:
        stream.write(
            f"  {report.changed_elsewhere:,} of the new questions have the identifier of an earlier question of"
            " this set: --update makes them its new version."
        )
    for change in known.changes[:CHANGES_SHOWN] if known is not None else ():
        stream.write(f"  line {change['line']:,}, question {change['question']}:")
        for name, before, after in change["differences"]:
            stream.write(f"    {name}: {before!r} -> {after!r}")
