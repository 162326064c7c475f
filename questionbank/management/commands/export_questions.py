"""Write questions to a file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from questionbank.bank.question_selectors import EXPORT_FILTERS
from questionbank.core.errors import ValidationFailed
from questionbank.formats import WRITTEN
from questionbank.imports.export_services import export_file
from questionbank.management.base import BankCommand


class Command(BankCommand):
    """Exports ready questions, unless a filter selects others; the file can be imported again."""

    help = "Write questions to a file (compressed where its name ends in .gz)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH")
        parser.add_argument("--format", required=True, help=" or ".join(WRITTEN))
        parser.add_argument(
            "--filter", action="append", default=[], metavar="KEY=VALUE", dest="filters",
            help=f"may be repeated: questions must match every filter; keys: {', '.join(EXPORT_FILTERS)}",
        )  # fmt: skip

    def handle(self, *args: Any, path: Path, format: str, filters: list[str], **options: Any) -> None:
        chosen = {}
        for pair in filters:
            key, equals, value = pair.partition("=")
            if not equals:
                raise ValidationFailed(f"A filter is KEY=VALUE, not {pair!r}.")
            chosen[key.strip()] = value.strip()
        written, losses = export_file(path=path, format=format, filters=chosen)
        for reason, count in losses.refused.most_common():
            self.stderr.write(f"Left out, {reason}: {count:,}")
        for what, count in losses.lost.most_common():
            self.stderr.write(f"Not written: {what} ({count:,} questions)")
        self.stdout.write(f"Questions written to {path}: {written:,}")
