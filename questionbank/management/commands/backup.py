"""Write the whole bank to one file."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.files.storage import storages

from questionbank.management.base import BankCommand
from questionbank.operations.backups import backup_create, backup_store, leftovers_clear


class Command(BankCommand):
    """The site may keep running during the backup."""

    help = "Write the database, the models and the uploads into one file (not the secret key)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            nargs="?",
            help="the file to write, e.g. bank-2027-01-31.tar (default: one in the object store of STORAGE_URL)",
        )

    def handle(self, *args: Any, file: Path | None, **options: Any) -> None:
        leftovers_clear()
        if file is None:
            name, manifest = backup_store(report=self.stderr.write)
            where, size = f"{name} in the object store", storages["backups"].size(name)
        else:
            manifest = backup_create(path=file, report=self.stderr.write)
            where, size = str(file), file.stat().st_size
        questions = manifest.rows["questionbank_question"]
        self.stdout.write(f"{where}: {questions:,} questions, {len(manifest.files) - 1} files, {size / 1e6:,.1f} MB")
