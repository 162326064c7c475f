"""Django's `migrate`, with a clear error for a bank that this release cannot migrate."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as MigrateCommand

from questionbank.core.migrations import bank_release_note, history_problem


class Command(MigrateCommand):
    """Like Django's command."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Refuse a bank that is later or too early; note the release in one that was brought up to date."""
        if problem := history_problem():
            raise CommandError(problem)
        super().handle(*args, **options)
        if not (options["app_label"] or options["plan"] or options["check_unapplied"]):
            bank_release_note()
