"""`manage.py reproduce solver`: the tables of Pattern-CL and Textual-CL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analytics.configuration import config_from_strings
from analytics.solver.config import SolverConfig
from worker.reproduction.options import command_settings
from worker.reproduction.problem_sets import PROBLEM_SETS
from worker.solver.reproduction.arms import ARMS, RECALLING
from worker.solver.reproduction.case_study import case_table, draw_cases
from worker.solver.reproduction.representation_tables import representation_tables
from worker.solver.reproduction.runs import Plan, reproduce_solver
from worker.solver.reproduction.table import solver_tables


def solver_paper_tables(output: Path, options: Mapping[str, Any], say: Callable[[str], Any]) -> str:
    """Train and measure the arms that the options name, and return the tables of all that was run into the folder."""
    config = config_from_strings(SolverConfig, command_settings(options))
    plan = Plan(
        arms=options["arms"] or [arm for arm in ARMS if arm != RECALLING or options["retriever"]],
        seeds=options["seeds"] or [config.seed],
        sets=options["train_on"] or list(PROBLEM_SETS),
        problems=options["questions"],
        config=config,
        retriever=options["retriever"],
        moments=options["moments"],
        is_represented=not options["skip_representation"],
    )
    reproduce_solver(options["data"], output, plan, say=say)
    draw_cases(output)
    return f"{solver_tables(output)}\n{representation_tables(output)}\n\n{case_table(output)}\n"
