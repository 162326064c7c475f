"""Equations and answers of a file of word problems, as JSON Lines."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from questionbank.files import convert_questions
from questionbank.management.base import BankCommand
from questionbank.selectors.solving.solution_files import problem_solutions, solver_by_name


class Command(BankCommand):
    """File in, file out: nothing of it enters the bank."""

    help = "Solve each word problem of a JSON Lines file: {id, equation, answer, steps, probability, ...}."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--input", type=Path, required=True, help="problems.jsonl, or .jsonl.gz")
        parser.add_argument("--output", type=Path, required=True, help="solutions.jsonl, or .jsonl.gz")
        parser.add_argument(
            "--model",
            default="default",
            help="number or folder of a solver, by default the one in use for each language",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        solver = solver_by_name(options["model"])
        written = convert_questions(
            source=options["input"],
            target=options["output"],
            convert=lambda questions: problem_solutions(questions, solver=solver),
            report=self.stderr.write,
        )
        self.stderr.write(f"{written:,} solutions are in {options['output']}.")
