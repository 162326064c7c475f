"""`manage.py reproduce paraphrase`: the tables of ParaQD."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analytics.configuration import config_from_strings, named_values
from analytics.paraphrase.config import ParaphraseConfig
from worker.paraphrase.reproduction.arms import ARMS, with_untrained
from worker.paraphrase.reproduction.data import LABELLED, TRAINED_ON
from worker.paraphrase.reproduction.runs import Plan, reproduce_paraphrase
from worker.paraphrase.reproduction.table import paraphrase_tables


def paraphrase_paper_tables(output: Path, options: Mapping[str, Any], say: Callable[[str], Any]) -> str:
    """Train and measure the arms that the options name, and return the tables as Markdown."""
    config = config_from_strings(ParaphraseConfig, named_values(options["set"]))
    plan = Plan(
        arms=with_untrained(options["arms"] or list(ARMS)),
        seeds=options["seeds"] or list(dict.fromkeys([config.seed, 1, 2])),
        trained_on=options["train_on"] or TRAINED_ON,
        measured_on=options["measure_on"] or LABELLED,
        questions=options["questions"],
        config=config,
    )
    return paraphrase_tables(reproduce_paraphrase(options["data"], output, plan, say=say))
