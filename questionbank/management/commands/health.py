"""Report the health of the installation."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any, ClassVar

from django.core.management.base import CommandError

from questionbank.management.base import BankCommand
from questionbank.operations.checks import State
from questionbank.operations.health import health_report


class Command(BankCommand):
    """The exit code is 1 if something is failing, so that a monitor can call it."""

    help = "Report the state of the database, Redis, workers, disk, vectors and backups."
    servers: ClassVar[tuple[str, ...]] = ()  # it inspects what is running and starts nothing
    needs_bank = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        report = health_report()
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), indent=2, ensure_ascii=False))
        else:
            self.stdout.write(f"Kindred {report.release}")
            for item in report.items:
                self.stdout.write(f"{item.state.value:8} {item.title}: {item.sentence}")
                for label, value in item.figures.items():
                    self.stdout.write(f"{'':11}{label}: {value}")
        if report.state == State.FAILING:
            failing = ", ".join(item.name for item in report.items if item.state == State.FAILING)
            raise CommandError(f"Failing: {failing}.")
