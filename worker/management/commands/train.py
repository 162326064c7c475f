"""Train a capability here and now, without a worker."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from analytics.configuration import field_specs
from analytics.probes.config import ProbesConfig
from questionbank.errors import KindredError
from questionbank.management.base import BankCommand
from questionbank.models import Run
from questionbank.selectors.concepts import hierarchies
from questionbank.services.runs import run_create


class Command(BankCommand):
    """Today's capability is `probes`, one model for each hierarchy of the bank."""

    help = "Train a capability on the bank, here and now."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("capability", choices=["probes"])
        parser.add_argument("--hierarchy", action="append", help="by default every hierarchy of the bank")
        settings = ", ".join(spec.name for spec in field_specs(ProbesConfig))
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=settings)

    def handle(self, *args: Any, hierarchy: list[str] | None, **options: Any) -> None:
        from worker.reporting import running
        from worker.training import train_run

        settings = dict(one.partition("=")[::2] for one in options["set"])
        names = hierarchy or [one.name for one in hierarchies()]
        if not names:
            raise CommandError("The bank has no hierarchy yet: import tagged questions first.")
        failures = []
        for name in names:
            parameters = {"hierarchy": name, "set": settings}
            run = run_create(
                kind=Run.Kind.TRAIN,
                capability="probes",
                title=f"Train probes: {name}"[:200],
                parameters=parameters,
                queue="train",  # where the reconciler puts it if we are killed
                send=False,
            )
            with running(run.pk, "command line") as reporter:
                if reporter is not None:
                    reporter.echo = self.stderr.write
                    reporter.result = train_run(reporter)
            run.refresh_from_db()
            if run.state == Run.State.SUCCEEDED:
                self.stdout.write(f"{name}: trained as model {run.result['model']}.")
            else:
                failures.append(f"{name}: {run.error or run.get_state_display()}")
        if failures:
            raise KindredError("; ".join(failures))
