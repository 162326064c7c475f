"""Write reviewers' decisions to a file, and print how well the reviewers agree."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from analytics.paraphrase.pair_files import pair_line
from questionbank.core.errors import ValidationFailed
from questionbank.core.storage import written_aside
from questionbank.formats.pairs import REVIEW_FORMATS, review_lines
from questionbank.management.base import BankCommand
from questionbank.review.agreement_selectors import agreement
from questionbank.review.selectors import decided_pairs, decision_rows, export_fields


class Command(BankCommand):
    """Decisions include the versions of model and guidelines; pairs that wait for an opinion are left out."""

    help = "Write reviewers' decisions on paraphrases to a JSON Lines or CSV file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH")
        parser.add_argument("--format", choices=REVIEW_FORMATS, default="jsonl")
        parser.add_argument(
            "--include-undone", action="store_true", help="also decisions that were taken back, with the time"
        )

        parser.add_argument(
            "--labelled",
            action="store_true",
            help="instead of decisions the decided pairs with their labels, as `evaluate paraphrase` reads them",
        )

    def handle(self, *args: Any, path: Path, format: str, include_undone: bool, labelled: bool, **options: Any) -> None:
        if labelled:
            if include_undone or format != "jsonl":
                raise ValidationFailed("--labelled writes JSON Lines of decided pairs: leave the others out.")
            self._write_labelled(path)
            return
        fields = export_fields(include_undone=include_undone)
        written = 0

        def counted() -> Any:
            nonlocal written
            for row in decision_rows(include_undone=include_undone):
                written += 1
                yield row

        with written_aside(path) as file:
            for line in review_lines(counted(), fields, format):
                file.write(line.encode())
        self.stdout.write(f"Decisions written to {path}: {written:,}")
        figures = agreement()
        if figures.alpha is not None:
            self.stdout.write(
                f"Krippendorff's alpha {figures.alpha:.3f} (95 % interval {figures.low:.3f} to {figures.high:.3f}) on"
                f" {figures.pairs:,} pairs with several opinions, {figures.same:,} of them agreed on"
            )
        for couple in figures.kappas:
            self.stdout.write(
                f"Cohen's kappa {couple.kappa:.3f} between {couple.first} and {couple.second} on {couple.pairs:,} pairs"
            )

    def _write_labelled(self, path: Path) -> None:
        valid = invalid = 0
        with written_aside(path) as file:
            for pair in decided_pairs():
                valid, invalid = valid + (pair.label == 1), invalid + (pair.label == 0)
                file.write(f"{pair_line(pair)}\n".encode())
        self.stdout.write(f"Labelled pairs written to {path}: {valid:,} valid, {invalid:,} not")
