"""Import a file of questions."""

from __future__ import annotations

import json
import shlex
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management import call_command
from tqdm import tqdm

from questionbank.core.errors import ImportRefused
from questionbank.formats.catalog import FORMATS, layout_of
from questionbank.formats.columns import COLUMN_FIELDS
from questionbank.formats.layout import DELIMITERS, FileLayout, with_fields
from questionbank.imports.options import ImportOptions
from questionbank.imports.report import ImportReport
from questionbank.imports.services import ImportFailed, import_file
from questionbank.management.base import VISIBLE_TO_HELP, BankCommand
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.training.services import FEWEST_TAGGED

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


class Command(BankCommand):
    """Imports all lines or none; `--skip-invalid` imports the valid ones."""

    help = "Import a file of questions (gzip too): all of them, or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH")
        parser.add_argument("--format", default="auto", help=f"auto, {', '.join(FORMATS)}")
        parser.add_argument("--hierarchy", help="name of the concept hierarchy; by default the set's")
        parser.add_argument("--source", help="name of the set; by default the folder's or the file's")
        parser.add_argument("--scale", default="", help="difficulty scale if the file names none: 0-4, 1-5 ...")
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="FIELD=NAME",
            help="what a column contains, if the guess is wrong: 'text=Frage'; may be repeated",
        )
        parser.add_argument(
            "--without",
            action="append",
            default=[],
            metavar="FIELD",
            help="leave a field out, for example difficulty; may be repeated",
        )
        parser.add_argument("--delimiter", default="", help="of a CSV file: comma, semicolon, tab or pipe")
        parser.add_argument("--encoding", default="", help="utf-8, utf-16, windows-1252, mac-roman or gb18030")
        parser.add_argument("--header-row", type=int, metavar="LINE", help="line of a table's header; 0 for none")
        parser.add_argument("--sheet", default="", help="of a workbook; by default the first with questions")
        parser.add_argument("--dry-run", action="store_true", help="list what would be refused, write nothing")
        parser.add_argument("--skip-invalid", action="store_true", help="import the lines that are not refused")
        parser.add_argument(
            "--update",
            action="store_true",
            help="update changed questions that came from an earlier version of this file",
        )
        parser.add_argument("--visible-to", default="", metavar="WHO", help=VISIBLE_TO_HELP)
        parser.add_argument("--no-embed", action="store_true", help="do not compute the questions' vectors now")
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, path: Path, no_embed: bool, **options: Any) -> None:
        try:
            asked = replace(ImportOptions.of_json(options), layout=_layout(path, options))
            with ProgressBar() as bar:
                report = import_file(path=path, options=asked, progress=bar, embed=False)
        except ImportFailed as error:
            write_refused(self.stderr, error.report)
            raise
        except ImportRefused as error:
            for problem in error.problems:
                self.stderr.write(str(problem))
            raise
        write_refused(self.stderr, report)
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), ensure_ascii=False))
        else:
            write_summary(self.stdout, report)
        if report.dry_run and report.refused_count and not options["skip_invalid"]:
            raise ImportRefused(report.refusal(), report.refused)
        if report.wants_vectors and not (no_embed or report.dry_run):
            call_command("embed_questions", stdout=self.stderr, stderr=self.stderr)
        if not options["json"] and wants_probes(report):
            self.stdout.write(
                f"To predict concepts of {report.hierarchy!r}: manage.py train probes"
                f" --hierarchy {shlex.quote(report.hierarchy)} (a running site does it by itself)."
            )


def _layout(path: Path, options: dict[str, Any]) -> FileLayout:
    """Return the layout given by the options; anything else is guessed."""
    delimiters = {name: sign for sign, name in DELIMITERS.items()} | {sign: sign for sign in DELIMITERS}
    delimiter = options["delimiter"]
    if delimiter and delimiter not in delimiters:
        raise ImportRefused(f"The delimiter is not known; use one of {', '.join(DELIMITERS.values())}.")
    given = {
        "delimiter": delimiters.get(delimiter, ""),
        "encoding": options["encoding"].lower(),
        "header_line": options["header_row"],
        "sheet": options["sheet"],
    }
    layout = layout_of(path, options["format"], **given)
    return with_fields(layout, dict(_assignment(one, layout.names) for one in options["column"]), path)


def _assignment(assignment: str, names: Sequence[str]) -> tuple[str, str]:
    """Parse ``text=Frage``, or ``Frage=text``, into column and field."""
    left, equals, right = (part.strip() for part in assignment.partition("="))
    if not equals:
        raise ImportRefused(f"{assignment!r} is not FIELD=NAME, for example 'text=Frage'.")
    if left in COLUMN_FIELDS and (right in names or right not in COLUMN_FIELDS):
        return right, left
    name, _equals, field = (part.strip() for part in assignment.rpartition("="))
    return name, field


def wants_probes(report: ImportReport) -> bool:
    """Return whether the import created a hierarchy that is worth training and has no probes yet."""
    trained = artifact_champion(capability="probes", scope=report.hierarchy)
    return report.written and report.questions_tagged >= FEWEST_TAGGED and trained is None
