"""Import vectors of questions that were computed elsewhere."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from questionbank.jobs.run_services import run_create
from questionbank.management.base import BankCommand
from questionbank.models import Run


class Command(BankCommand):
    """Safe to stop and to repeat."""

    help = "Copy the vectors that `python -m analytics embed` has computed into the bank."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="folder that `python -m analytics embed` has written")

    def handle(self, *_args: Any, folder: Path, **options: Any) -> None:
        from worker.embedding import import_vectors
        from worker.reporting import run_here

        run = run_create(kind=Run.Kind.EMBED, capability="encoder", title="Import vectors", send=False)
        echo = self.stderr.write if options["verbosity"] else None
        done = run_here(run, partial(import_vectors, folder=folder), echo=echo)
        self.stdout.write(f"Vectors stored for {done['encoder']}: {done['stored']:,}")
        if done["missing"]:
            self.stdout.write(
                f"Questions without one: {done['missing']:,}, of which {done['changed']:,} have the id of a row with"
                " another text. embed_questions computes their vectors."
            )
