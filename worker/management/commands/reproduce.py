"""Train and measure the arms of a paper's tables, and write the table."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any, ClassVar

from analytics.configuration import config_from_strings
from analytics.encoder.config import EncoderConfig
from questionbank.files import write_text
from questionbank.management.base import BankCommand


class Command(BankCommand):
    """Needs no database; what is finished is kept, so the command may be stopped and given again."""

    servers: ClassVar[tuple[str, ...]] = ()
    needs_bank = False
    help = "Reproduce the tables of a capability's paper on public data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        from worker.reproduction.encoder_arms import ARMS
        from worker.reproduction.encoder_data import SOURCES, TRAINED_ON, TRANSFER

        parser.add_argument("capability", choices=["encoder"])
        parser.add_argument(
            "--data", type=Path, required=True, help="folder with a folder for each public set"
        )
        parser.add_argument("--arms", nargs="+", choices=list(ARMS), default=list(ARMS), metavar="ARM")
        parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2], metavar="SEED")
        parser.add_argument(
            "--train-on", nargs="+", choices=list(SOURCES), default=list(TRAINED_ON), metavar="SET"
        )
        parser.add_argument(
            "--measure-on", nargs="+", choices=list(SOURCES), default=[*TRAINED_ON, *TRANSFER], metavar="SET"
        )
        parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="of the encoder")
        parser.add_argument("--output", type=Path, required=True, help="folder for the runs and the table")
        parser.add_argument(
            "--results",
            type=Path,
            help="Markdown file that gets the table, between the marks of --output's name",
        )

    def handle(self, *args: Any, data: Path, output: Path, **options: Any) -> None:
        from worker.reproduction.encoder import Plan, reproduce_encoder
        from worker.reproduction.encoder_table import encoder_tables
        from worker.reproduction.results import put_table

        plan = Plan(
            arms=options["arms"],
            seeds=options["seeds"],
            trained_on=options["train_on"],
            measured_on=options["measure_on"],
            config=config_from_strings(
                EncoderConfig, dict(one.partition("=")[::2] for one in options["set"])
            ),
        )
        folders = reproduce_encoder(data, output, plan, say=self.stderr.write)
        table = encoder_tables(folders)
        write_text(output / "table.md", table)
        if options["results"]:
            put_table(options["results"], f"reproduce {options['capability']} {output.name}", table)
        self.stdout.write(table)
