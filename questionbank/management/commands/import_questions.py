"""Import a file of questions."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command

from questionbank.errors import ImportRefused
from questionbank.formats.csv_layout import DELIMITERS, CsvLayout, guess_layout
from questionbank.formats.lines import refuse_unreadable
from questionbank.management.base import BankCommand
from questionbank.management.import_output import ProgressBar, write_refused, write_summary
from questionbank.selectors.models.artifacts import artifact_champion
from questionbank.services.imports import ImportReport, import_file
from questionbank.services.training import FEWEST_TAGGED


class Command(BankCommand):
    """All lines or none; `--skip-invalid` imports those that can be."""

    help = "Import questions from JSON Lines or CSV (gzip too): all of them, or nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH")
        parser.add_argument("--format", default="auto", help="auto, jsonl or csv")
        parser.add_argument("--hierarchy", help="name of the concept hierarchy; by default the set's")
        parser.add_argument("--source", help="name of the set; by default the folder's or the file's")
        parser.add_argument(
            "--scale", default="", help="difficulty scale where the file names none: 0-4, 1-5 ..."
        )
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="NAME=FIELD",
            help="of a CSV file: what a column of another name holds, e.g. 'Question=text'; may be repeated",
        )
        parser.add_argument("--delimiter", default="", help="of a CSV file: comma, semicolon or tab")
        parser.add_argument("--encoding", default="", help="of a CSV file: utf-8, windows-1252 or gb18030")
        parser.add_argument(
            "--dry-run", action="store_true", help="list what would be refused, write nothing"
        )
        parser.add_argument(
            "--skip-invalid", action="store_true", help="import the lines that are not refused"
        )
        parser.add_argument(
            "--no-embed", action="store_true", help="do not compute the questions' vectors now"
        )
        parser.add_argument("--json", action="store_true", help="print the report as JSON")

    def handle(self, *args: Any, path: Path, no_embed: bool, **options: Any) -> None:
        asked = {name: options[name] for name in ("format", "hierarchy", "source", "scale", "skip_invalid")}
        try:
            asked["layout"] = _layout(path, options)
            with ProgressBar() as bar:
                report = import_file(
                    path=path, dry_run=options["dry_run"], progress=bar, embed=False, **asked
                )
        except ImportRefused as error:
            write_refused(self.stderr, error.problems)
            raise
        write_refused(self.stderr, report.refused, report.refused_count)
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), ensure_ascii=False))
        else:
            write_summary(self.stdout, report)
        if report.dry_run and report.refused_count and not options["skip_invalid"]:
            raise ImportRefused(report.refusal(), report.refused)
        if report.created and not (no_embed or report.dry_run):
            call_command("embed_questions", stdout=self.stderr, stderr=self.stderr)
        if not options["json"] and wants_probes(report):
            self.stdout.write(
                f"To predict concepts of {report.hierarchy!r}: manage.py train probes"
                f" --hierarchy {shlex.quote(report.hierarchy)} (a running site does it by itself)."
            )


def _layout(path: Path, options: dict[str, Any]) -> CsvLayout | None:
    """Return the layout that the options describe; None where the file's own header says it all."""
    if not (options["column"] or options["delimiter"] or options["encoding"]):
        return None
    refuse_unreadable(path)
    columns = {}
    for assignment in options["column"]:
        name, equals, field = assignment.rpartition("=")
        if not equals:
            raise ImportRefused(f"{assignment!r} is not NAME=FIELD, for example 'Question=text'.")
        columns[name.strip()] = field.strip()
    delimiters = {name: sign for sign, name in DELIMITERS.items()} | {sign: sign for sign in DELIMITERS}
    delimiter = options["delimiter"]
    if delimiter and delimiter not in delimiters:
        raise ImportRefused(f"The delimiter is not known; use one of {', '.join(DELIMITERS.values())}.")
    return guess_layout(
        path,
        delimiter=delimiters.get(delimiter, ""),
        encoding=options["encoding"].lower(),
        columns=columns,
    )


def wants_probes(report: ImportReport) -> bool:
    """Return whether the import made a hierarchy worth training that has no probes yet."""
    trained = artifact_champion(capability="probes", scope=report.hierarchy)
    return report.written and report.questions_tagged >= FEWEST_TAGGED and trained is None
