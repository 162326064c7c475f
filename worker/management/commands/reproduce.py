"""Train and measure the arms of a paper's tables, and write the table."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, ClassVar

from questionbank.files import write_text
from questionbank.management.base import BankCommand
from worker.catalog import WORKER_CAPABILITIES


class Command(BankCommand):
    """Needs no database; what is finished is kept, so the command may be stopped and given again."""

    servers: ClassVar[tuple[str, ...]] = ()
    needs_bank = False
    help = "Reproduce the tables of a capability's paper on public data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("capability", choices=_reproducible())
        parser.add_argument(
            "--data", type=Path, required=True, help="folder with a folder for each public set"
        )
        parser.add_argument("--arms", nargs="+", metavar="ARM", help="by default all")
        parser.add_argument(
            "--seeds", nargs="+", type=int, metavar="SEED", help="by default 0 1 2, 3407 1 2, or 42"
        )
        parser.add_argument("--train-on", nargs="+", metavar="SET")
        parser.add_argument("--measure-on", nargs="+", metavar="SET")
        parser.add_argument(
            "--questions",
            type=int,
            default=0,
            help="paraphrase, solver: maximum number of items from each set (0: all)",
        )
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="of the training"
        )
        parser.add_argument(
            "--retriever",
            type=Path,
            help="solver: folder of the retriever that the arm none-recalling asks for similar problems",
        )
        parser.add_argument(
            "--ask",
            type=int,
            default=100,
            help="analogy: questions of each set that the configured language model answers (100; 0: none)",
        )
        parser.add_argument(
            "--pairs",
            type=Path,
            help="analogy: file of rewrite_problems that the arm rewritten-model learns from",
        )
        parser.add_argument(
            "--moments",
            type=int,
            default=0,
            help="solver: number of evenly spaced moments of each training at which the encoder is measured, with the"
            " end (0: only at the end)",
        )
        parser.add_argument("--output", type=Path, required=True, help="folder for the runs and the table")
        parser.add_argument(
            "--results",
            type=Path,
            help="Markdown file that gets the table, between the marks of --output's name",
        )

    def handle(self, *args: Any, output: Path, **options: Any) -> None:
        from worker.reproduction.results import put_table

        row = WORKER_CAPABILITIES[options["capability"]]
        table = row.reproduce(output, options, self.stderr.write)
        write_text(output / "table.md", table)
        if options["results"]:
            put_table(options["results"], f"reproduce {options['capability']} {output.name}", table)
        self.stdout.write(table)


def _reproducible() -> list[str]:
    return sorted(word for word, row in WORKER_CAPABILITIES.items() if row.can("reproduce"))
