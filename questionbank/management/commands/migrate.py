"""Django's `migrate`, with a clear error for a bank whose history cannot be migrated."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands.migrate import Command as MigrateCommand

from questionbank.core.migrations import history_problem


class Command(MigrateCommand):
    """Like Django's command."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Refuse a bank that stopped inside a squashed migration."""
        if problem := history_problem():
            raise CommandError(problem)
        super().handle(*args, **options)
