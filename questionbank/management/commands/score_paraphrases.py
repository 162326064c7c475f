"""Scores of a file of paraphrases, as JSON Lines."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from questionbank.files import convert_pairs
from questionbank.management.base import BankCommand
from questionbank.selectors.review.paraphrase_files import pair_scores, scorer_by_number


class Command(BankCommand):
    """File in, file out: nothing of it enters the bank."""

    help = "Score each pair of a JSON Lines file: {id, score, verdict, probability, findings}."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--input", type=Path, required=True, help="pairs.jsonl, or .jsonl.gz")
        parser.add_argument("--output", type=Path, required=True, help="scores.jsonl, or .jsonl.gz")
        parser.add_argument(
            "--model", default="default", help="number of a scorer, by default the one in use"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        scorer = scorer_by_number(options["model"])
        notices: set[str] = set()
        try:
            written = convert_pairs(
                source=options["input"],
                target=options["output"],
                convert=lambda pairs: pair_scores(pairs, scorer=scorer, notices=notices),
                report=self.stderr.write,
            )
        finally:
            for notice in sorted(notices):
                self.stderr.write(notice)
        self.stderr.write(f"{written:,} scores are in {options['output']}.")
