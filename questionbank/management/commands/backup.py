"""Write the whole bank into one file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from questionbank.management.base import BankCommand
from questionbank.services.backups import backup_create, leftovers_clear


class Command(BankCommand):
    """The site may run meanwhile."""

    help = "Write the database, the models and the uploads into one file (not the secret key)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the file to write, e.g. bank-2027-01-31.tar")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        leftovers_clear()
        manifest = backup_create(path=file, report=self.stderr.write)
        questions = manifest.rows["questionbank_question"]
        size = file.stat().st_size / 1e6
        self.stdout.write(f"{file}: {questions:,} questions, {len(manifest.files) - 1} files, {size:,.1f} MB")
