"""Register a model folder that was trained elsewhere."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from analytics.catalog import CAPABILITIES
from questionbank.core.capability_catalog import fixed_suite
from questionbank.management.base import BankCommand
from questionbank.registry.artifact_selectors import artifact_champion
from questionbank.registry.artifact_services import artifact_import
from questionbank.registry.lifecycle_services import comparison_request, promotion_request


class Command(BankCommand):
    """The output of `python -m analytics train` becomes a candidate, and with --promote the champion."""

    help = "Register a model folder as a candidate; with --promote let it serve."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--scope",
            default="",
            help="probes: name of their hierarchy; solver: its language (the manifest's); analogy: the language that it"
            " is for (every language that it knows)",
        )
        parser.add_argument("--promote", action="store_true", help="promote it if it passes the gate")
        parser.add_argument("--reason", default="", help="why it is promoted; kept in the history")
        parser.add_argument("--override", action="store_true", help="promote it even if it does not pass the gate")

    def handle(self, *_args: Any, folder: Path, promote: bool, reason: str, **options: Any) -> None:
        from worker.comparison import compare_run, promote_run
        from worker.reporting import run_here

        if promote and not reason.strip():
            raise CommandError("A promotion needs a reason: add --reason.")
        artifact = artifact_import(folder=folder, scope=options["scope"], loads=_loads)
        self.stdout.write(f"{artifact.name}: registered as model {artifact.pk}.")
        if not promote:
            return
        champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
        if fixed_suite(artifact.capability) and champion is not None and not options["override"]:
            run_here(comparison_request(candidate=artifact, send=False), compare_run, echo=self.stderr.write)
        run = promotion_request(artifact=artifact, reason=reason, override=options["override"], send=False)
        run_here(run, promote_run, echo=self.stderr.write)
        self.stdout.write(f"{artifact.name} is now in use.")


def _loads(capability: str, folder: Path) -> None:
    """Load the model once, so that a folder that cannot serve is rejected here."""
    CAPABILITIES[capability].load(folder)
