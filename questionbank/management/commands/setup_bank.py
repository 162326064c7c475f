"""Set up a new installation: models, and with DEMO=1 the demo bank and its logins."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

from django.conf import settings

from questionbank.bank.vector_services import embedding_request
from questionbank.core.errors import Conflict
from questionbank.core.migrations import history_problem
from questionbank.management.base import BankCommand
from questionbank.operations.setup import bank_setup


class Command(BankCommand):
    """Safe to run at every start: only what is missing is installed."""

    requires_system_checks = ("capabilities",)
    help = "Install the default models and, with DEMO=1, the demo bank and its log-ins."

    def handle(self, *args: Any, **options: Any) -> None:
        if problem := history_problem():
            raise Conflict(problem)
        if bank_setup(demo=settings.DEMO, report=self.stdout.write):
            # In a separate process: this one may be the supervisor's and must stay free of PyTorch.
            command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "embed_questions"]
            if subprocess.run(command, check=False).returncode:
                self.stderr.write("The vectors were not computed now; the worker will do it.")
                embedding_request()
