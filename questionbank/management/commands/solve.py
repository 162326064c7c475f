"""Solve a file of word problems: equations and answers as JSON Lines."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any

from questionbank.management.base import FileCommand
from questionbank.solving.solution_files import problem_solutions, solver_by_name


class Command(FileCommand):
    """Each problem is solved by the solver of its language."""

    help = "Solve each word problem of a JSON Lines file: {id, equation, answer, steps, probability, ...}."
    reads, writes = "problems", "solutions"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--model",
            default="default",
            help="number or folder of a solver, by default the one in use for each language",
        )

    def converter(self, options: dict[str, Any], notices: set[str]) -> Callable[[Any], list[dict[str, Any]]]:
        return partial(problem_solutions, solver=solver_by_name(options["model"]))
