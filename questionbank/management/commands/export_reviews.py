"""Write reviewers' decisions to a file, and say how far the reviewers agree."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from analytics.paraphrase.pair_files import pair_line
from questionbank.atomic_file import written_aside
from questionbank.errors import ValidationFailed
from questionbank.formats.reviews import REVIEW_FORMATS, review_lines
from questionbank.management.base import BankCommand
from questionbank.selectors.review import agreement, decided_pairs, decision_rows, export_fields


class Command(BankCommand):
    """Each with the versions of model and guidelines; pairs that wait for an opinion are left out."""

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

    def handle(
        self, *args: Any, path: Path, format: str, include_undone: bool, labelled: bool, **options: Any
    ) -> None:
        if labelled:
            if include_undone or format != "jsonl":
                raise ValidationFailed(
                    "--labelled writes JSON Lines of what stands decided: leave the others out."
                )
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
        found = agreement()
        if found.alpha is not None:
            self.stdout.write(
                f"Krippendorff's alpha {found.alpha:.3f} (95 % interval {found.low:.3f} to {found.high:.3f}) on"
                f" {found.pairs:,} pairs with several opinions, {found.same:,} of them agreed on"
            )
        for one in found.kappas:
            self.stdout.write(
                f"Cohen's kappa {one.kappa:.3f} between {one.first} and {one.second} on {one.pairs:,} pairs"
            )

    def _write_labelled(self, path: Path) -> None:
        valid = invalid = 0
        with written_aside(path) as file:
            for one in decided_pairs():
                valid, invalid = valid + (one.label == 1), invalid + (one.label == 0)
                file.write(f"{pair_line(one)}\n".encode())
        self.stdout.write(f"Labelled pairs written to {path}: {valid:,} valid, {invalid:,} not")
