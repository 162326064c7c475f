"""Replace the bank with a backup."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from questionbank.management.base import BankCommand
from questionbank.operations.backups import backup_local, backup_restore, backup_verify, leftovers_clear


class Command(BankCommand):
    """Any failure leaves the bank unchanged."""

    help = "Replace the bank with a backup; stop the site and its workers first."
    needs_bank = False  # the backup contains its tables

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a file written by `backup`, or its name in the object store")
        parser.add_argument("--force", action="store_true", help="replace a bank that is in use or not empty")
        parser.add_argument("--check", action="store_true", help="only check the file; restore nothing")

    def handle(self, *args: Any, file: Path, force: bool, check: bool, **options: Any) -> None:
        leftovers_clear()
        with backup_local(file) as path:
            if check:
                manifest = backup_verify(path=path)
            else:
                manifest = backup_restore(path=path, force=force, report=self.stderr.write)
        questions = manifest.rows["questionbank_question"]
        said = "is complete and undamaged" if check else "restored"
        written = f"written {manifest.created} by Kindred {manifest.kindred}"
        self.stdout.write(f"{file} {said}: {questions:,} questions, {written}")
