"""`manage.py reproduce analogy`: the tables of Learning by Analogy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analytics.analogy.config import AnalogyConfig
from analytics.configuration import config_from_strings
from worker.analogy.generator import opened_generator
from worker.analogy.reproduction.arms import ARMS, REWRITTEN_BY_MODEL
from worker.analogy.reproduction.runs import Plan, reproduce_analogy
from worker.analogy.reproduction.table import analogy_tables
from worker.reproduction.options import command_settings
from worker.reproduction.problem_sets import PROBLEM_SETS


def analogy_paper_tables(output: Path, options: Mapping[str, Any], say: Callable[[str], Any]) -> str:
    """Train and measure the arms that the options name, and return the tables of all that was run into the folder."""
    config = config_from_strings(AnalogyConfig, command_settings(options))
    with opened_generator(options["ask"], kept=output / "answers.jsonl") as generator:
        plan = Plan(
            arms=options["arms"] or [arm for arm in ARMS if arm != REWRITTEN_BY_MODEL or options["pairs"]],
            seeds=options["seeds"] or [config.seed],
            sets=options["train_on"] or list(PROBLEM_SETS),
            measured=options["measure_on"] or (),
            problems=options["questions"],
            config=config,
            generator=generator,
            pairs=options["pairs"],
        )
        reproduce_analogy(options["data"], output, plan, say=say)
    return analogy_tables(output)
