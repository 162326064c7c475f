"""Train and measure the arms of a paper's tables, and write the table."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from analytics.configuration import config_from_strings
from analytics.encoder.config import EncoderConfig
from analytics.paraphrase.config import ParaphraseConfig
from questionbank.files import write_text
from questionbank.management.base import BankCommand


class Command(BankCommand):
    """Needs no database; what is finished is kept, so the command may be stopped and given again."""

    servers: ClassVar[tuple[str, ...]] = ()
    needs_bank = False
    help = "Reproduce the tables of a capability's paper on public data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("capability", choices=sorted(_REPRODUCTIONS))
        parser.add_argument(
            "--data", type=Path, required=True, help="folder with a folder for each public set"
        )
        parser.add_argument("--arms", nargs="+", metavar="ARM", help="by default all")
        parser.add_argument(
            "--seeds", nargs="+", type=int, metavar="SEED", help="by default 0 1 2, or 3407 1 2"
        )
        parser.add_argument("--train-on", nargs="+", metavar="SET")
        parser.add_argument("--measure-on", nargs="+", metavar="SET")
        parser.add_argument(
            "--questions", type=int, default=0, help="paraphrase: at most so many of each set (0: all)"
        )
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="of the training"
        )
        parser.add_argument("--output", type=Path, required=True, help="folder for the runs and the table")
        parser.add_argument(
            "--results",
            type=Path,
            help="Markdown file that gets the table, between the marks of --output's name",
        )

    def handle(self, *args: Any, output: Path, **options: Any) -> None:
        from worker.reproduction.results import put_table

        table = _REPRODUCTIONS[options["capability"]](output, options, self.stderr.write)
        write_text(output / "table.md", table)
        if options["results"]:
            put_table(options["results"], f"reproduce {options['capability']} {output.name}", table)
        self.stdout.write(table)


def _encoder(output: Path, options: Mapping[str, Any], say: Callable[[str], Any]) -> str:
    from worker.reproduction.encoder import Plan, reproduce_encoder
    from worker.reproduction.encoder_arms import ARMS
    from worker.reproduction.encoder_data import TRAINED_ON, TRANSFER
    from worker.reproduction.encoder_table import encoder_tables

    plan = Plan(
        arms=options["arms"] or list(ARMS),
        seeds=options["seeds"] or [0, 1, 2],
        trained_on=options["train_on"] or TRAINED_ON,
        measured_on=options["measure_on"] or (*TRAINED_ON, *TRANSFER),
        config=config_from_strings(EncoderConfig, _settings(options)),
    )
    return encoder_tables(reproduce_encoder(options["data"], output, plan, say=say))


def _paraphrase(output: Path, options: Mapping[str, Any], say: Callable[[str], Any]) -> str:
    from worker.reproduction.paraphrase import Plan, reproduce_paraphrase
    from worker.reproduction.paraphrase_arms import ARMS, with_untrained
    from worker.reproduction.paraphrase_data import LABELLED, TRAINED_ON
    from worker.reproduction.paraphrase_table import paraphrase_tables

    config = config_from_strings(ParaphraseConfig, _settings(options))
    plan = Plan(
        arms=with_untrained(options["arms"] or list(ARMS)),
        seeds=options["seeds"] or list(dict.fromkeys([config.seed, 1, 2])),
        trained_on=options["train_on"] or TRAINED_ON,
        measured_on=options["measure_on"] or LABELLED,
        questions=options["questions"],
        config=config,
    )
    return paraphrase_tables(reproduce_paraphrase(options["data"], output, plan, say=say))


def _settings(options: Mapping[str, Any]) -> dict[str, str]:
    return dict(one.partition("=")[::2] for one in options["set"])


_REPRODUCTIONS: dict[str, Callable[[Path, Mapping[str, Any], Callable[[str], Any]], str]] = {
    "encoder": _encoder,
    "paraphrase": _paraphrase,
}
