"""Compute missing question vectors in this process, without a worker."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from questionbank.bank.vector_services import embedding_set_ensure
from questionbank.core.errors import KindredError, NotFound
from questionbank.jobs.run_services import run_create
from questionbank.management.base import BankCommand
from questionbank.models import ModelArtifact, Run


class Command(BankCommand):
    """Complete embedding sets; safe to stop and to repeat."""

    help = "Compute missing question vectors (those in use, or a model's own set)."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--model", type=int, help="id of a model whose set is built beside the one in use")

    def handle(self, *_args: Any, model: int | None = None, **options: Any) -> None:
        from worker.embedding import embed_pending
        from worker.reporting import running

        sets = None
        if model is not None:
            artifact = ModelArtifact.objects.filter(pk=model).first()
            if artifact is None:
                raise NotFound(f"There is no model with the id {model}.")
            sets = [embedding_set_ensure(artifact=artifact)]
        run = run_create(kind=Run.Kind.EMBED, capability="encoder", title="Compute vectors", send=False)
        with running(run.pk, "command line") as reporter:
            if reporter is None:
                return
            reporter.echo = self.stderr.write if options["verbosity"] else None
            reporter.result = {"stored": embed_pending(reporter, sets=sets)}
        run.refresh_from_db()
        if run.state != Run.State.SUCCEEDED:
            raise KindredError(run.error or "The vectors were not computed.")
        total = sum(run.result["stored"].values())
        self.stdout.write(f"Vectors stored: {total:,}" if total else "Every question has its vectors.")
