"""Vectors of a file of questions, as JSON Lines."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from analytics.catalog import main_lens
from questionbank.files import convert_questions
from questionbank.management.base import BankCommand
from questionbank.selectors.serving import serving
from questionbank.selectors.similar.vector_files import check_lens, lens_help, question_vectors


class Command(BankCommand):
    """File in, file out: nothing of it enters the bank."""

    help = "Write the vector of each question of a JSON Lines file: {id, vector}."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--input", type=Path, required=True, help="questions.jsonl, or .jsonl.gz")
        parser.add_argument("--output", type=Path, required=True, help="vectors.jsonl, or .jsonl.gz")
        parser.add_argument("--lens", default=main_lens().word, help=lens_help())

    def handle(self, *args: Any, **options: Any) -> None:
        lens = check_lens(options["lens"])
        now = serving()
        notices: set[str] = set()
        try:
            written = convert_questions(
                source=options["input"],
                target=options["output"],
                convert=lambda questions: question_vectors(
                    questions, lens=lens, serving=now, notices=notices
                ),
                report=self.stderr.write,
            )
        finally:
            for notice in sorted(notices):
                self.stderr.write(notice)
        self.stderr.write(f"{written:,} vectors are in {options['output']}.")
