"""Train and evaluate the arms of a paper's tables, and write the table."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any, ClassVar

from questionbank.management.base import BankCommand


class Command(BankCommand):
    """Needs no database; finished parts are stored, so the command can be stopped and repeated."""

    servers: ClassVar[tuple[str, ...]] = ()
    needs_bank = False
    help = "Reproduce the tables of a capability's paper on public data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        from worker.reproduction.__main__ import add_arguments

        add_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        from worker.reproduction.__main__ import reproduce

        self.stdout.write(reproduce(options, self.stderr.write))
