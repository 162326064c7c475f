"""Prepare an installation for the site and its workers: tables, static files, default models."""

from __future__ import annotations

from typing import Any, ClassVar

from django.core.management import call_command

from questionbank.management.base import BankCommand
from questionbank.operations.backups import leftovers_clear
from questionbank.operations.health import require_object_store


class Command(BankCommand):
    """Run by `serve` before the site starts; safe to run at every start."""

    help = "Migrate, collect static files and install the default models; with DEMO=1 the demo bank too."
    servers: ClassVar[tuple[str, ...]] = ("postgres", "redis")
    needs_bank = False  # the command migrates
    requires_system_checks = ("capabilities", "environment")

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Run the steps in order."""
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        require_object_store()
        for name in leftovers_clear():
            self.stdout.write(f"Removed {name}, which a killed process left.")
        call_command("setup_bank")
