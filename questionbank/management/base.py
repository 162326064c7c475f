"""Base classes of Kindred's commands: servers, a migrated bank, one-sentence errors, and reading and writing files."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import psycopg
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseError
from django.db import ProgrammingError, connection
from psycopg.errors import UndefinedColumn, UndefinedTable

from analytics.errors import AnalyticsError, first_line
from questionbank.core.errors import KindredError
from questionbank.core.outage import Outage, outage_of
from questionbank.formats.answer_files import convert_questions

MIGRATION_LOCK = 0x4D494752
VISIBLE_TO_HELP = "who sees what is imported: all (the default), a school's short name, or private: only admins"


class BankCommand(BaseCommand):
    """Base class of all our commands.

    Attributes:
        servers: embedded servers that `manage.py` starts first.
        needs_bank: whether to migrate a new database first.
        needs_model: whether to install the default encoder, probes and scorer if they are missing.
    """

    servers: ClassVar[tuple[str, ...]] = ("postgres",)
    needs_bank: ClassVar[bool] = True
    needs_model: ClassVar[bool] = False
    requires_system_checks = ()

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Prepare the bank, run the command, and turn our errors into one sentence and exit code 1."""
        try:
            if self.needs_bank and "postgres" in self.servers:
                self._migrate_new_database()
            if self.needs_model:
                from questionbank.registry import artifact_services as artifacts

                artifacts.artifact_install_default(report=lambda line: self.stderr.write(line))
            return super().execute(*args, **options)
        except (KindredError, AnalyticsError) as error:
            raise CommandError(str(error)) from error
        except ProgrammingError as error:
            if not isinstance(error.__cause__, UndefinedTable | UndefinedColumn):
                raise
            raise CommandError("The bank is from another Kindred release: run “manage.py migrate”.") from error
        except (DatabaseError, psycopg.Error, OSError) as error:
            outage = outage_of(error)
            if outage is None:
                raise
            if outage is Outage.FULL:
                raise CommandError("The disk is full: free some space and run the command again.") from error
            raise CommandError(f"The database does not answer: {first_line(error)}") from error
        except KeyboardInterrupt:
            raise CommandError("Interrupted; what was not finished was not kept.", returncode=130) from None

    @staticmethod
    def _migrate_new_database() -> None:
        if "django_migrations" in connection.introspection.table_names():
            return
        guard = connection.copy()  # if two commands meet a new database, one migrates and the other waits
        try:
            guard.set_autocommit(False)
            with guard.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
            call_command("migrate", verbosity=0, interactive=False)
        finally:
            guard.close()


class FileCommand(BankCommand):
    """Converts one file into another; nothing is added to the bank.

    Attributes:
        reads, writes: contents of the two files' lines.
        convert: reads, converts and writes the lines.
    """

    needs_model = True
    reads: ClassVar[str] = "questions"
    writes: ClassVar[str]
    convert: ClassVar[Callable[..., int]] = staticmethod(convert_questions)

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, lines in (("--input", self.reads), ("--output", self.writes)):
            parser.add_argument(name, type=Path, required=True, help=f"{lines}.jsonl, or .jsonl.gz")

    def converter(self, options: dict[str, Any], notices: set[str]) -> Callable[[Any], list[dict[str, Any]]]:
        """Return a function that converts a batch of lines and adds messages for people to `notices`."""
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        notices: set[str] = set()
        try:
            written = self.convert(
                source=options["input"],
                target=options["output"],
                convert=self.converter(options, notices),
                report=self.stderr.write,
            )
        finally:
            for notice in sorted(notices):
                self.stderr.write(notice)
        self.stderr.write(self.said(written, options["output"]))

    def said(self, written: int, output: Path) -> str:
        """Return the final message."""
        return f"{written:,} {self.writes} are in {output}."
