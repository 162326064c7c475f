"""Export everything that is tied to a person, or delete a person."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from questionbank.core.database import get_or_not_found
from questionbank.core.errors import Conflict
from questionbank.core.storage import written_aside
from questionbank.management.base import BankCommand
from questionbank.models import User
from questionbank.protection.erasure_services import person_erase
from questionbank.protection.person_selectors import backups_with, erasure_plan, person_archive


class Command(BankCommand):
    """`delete` without `--yes` only says what it would do."""

    help = "Export everything that is tied to a person, or delete a person."

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        export = actions.add_parser("export", help="write everything that is tied to a person into a ZIP file")
        export.add_argument("username", help="the person's log-in name")
        export.add_argument("file", type=Path, help="the file to write")
        delete = actions.add_parser("delete", help="delete a person: name, address and log-in disappear everywhere")
        delete.add_argument("username", help="the person's log-in name")
        delete.add_argument(
            "--with-work",
            action="store_true",
            help="also their lists, worksheets, and the questions that nobody else uses",
        )
        delete.add_argument("--yes", action="store_true", help="really delete; otherwise only say what would happen")

    def handle(self, *args: Any, action: str, username: str, **options: Any) -> None:
        person = get_or_not_found(
            User.objects.filter(username=username, erased_at=None),
            f"There is nobody with the log-in name {username!r}.",
        )
        if action == "export":
            self._export(person, options["file"])
        else:
            self._delete(person, with_work=options["with_work"], is_sure=options["yes"])

    def _export(self, person: User, path: Path) -> None:
        if path.exists():
            raise Conflict(f"{path} exists already: choose another name.")
        with written_aside(path) as file:
            person_archive(person=person, file=file)
        self.stdout.write(f"{path}: everything that is tied to {person.username}")

    def _delete(self, person: User, *, with_work: bool, is_sure: bool) -> None:
        plan = erasure_plan(person=person, with_work=with_work)
        backups = backups_with(person=person)
        if is_sure:
            left = person_erase(user=None, person=person, with_work=with_work)
            for trace in left:
                self.stderr.write(f"The name still occurs here, and only a person can judge whom it means: {trace}")
        for did, rows in ((" deleted", plan.deleted), (" kept", plan.kept)):
            for name, number in rows.items():
                self.stdout.write(f"{name}: {number:,}{did}")
        for backup in backups:
            self.stdout.write(f"still contains the person; restoring it deletes them again: {backup.path}")
        self.stdout.write(
            "The person is deleted." if is_sure else "Nothing was deleted: give --yes to delete this person."
        )
