"""`manage.py reproduce encoder`: the tables of QuesCo."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analytics.configuration import config_from_strings
from analytics.encoder.config import EncoderConfig
from worker.encoder.reproduction.arms import ARMS
from worker.encoder.reproduction.data import TRAINED_ON, TRANSFER
from worker.encoder.reproduction.runs import Plan, reproduce_encoder
from worker.encoder.reproduction.table import encoder_tables
from worker.reproduction.options import command_settings


def encoder_paper_tables(output: Path, options: Mapping[str, Any], say: Callable[[str], Any]) -> str:
    """Train and measure the arms that the options name, and return the tables as Markdown."""
    plan = Plan(
        arms=options["arms"] or list(ARMS),
        seeds=options["seeds"] or [0, 1, 2],
        trained_on=options["train_on"] or TRAINED_ON,
        measured_on=options["measure_on"] or (*TRAINED_ON, *TRANSFER),
        config=config_from_strings(EncoderConfig, command_settings(options)),
    )
    return encoder_tables(reproduce_encoder(options["data"], output, plan, say=say))
