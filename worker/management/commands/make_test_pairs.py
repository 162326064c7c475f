"""A synthetic test set from one's own bank: outputs of test operators for each question, to be labelled by people."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from analytics.paraphrase.pair_files import pair_line
from questionbank.core.errors import ValidationFailed
from questionbank.core.storage import written_aside
from questionbank.management.base import BankCommand
from questionbank.training.scorer import scorer_material
from worker.paraphrase.training import bank_test_pairs

_MODELS = {
    "passive": "f_a: writes the passive; else rules",
    "grammar": "f_a: corrects what the passive model wrote",
    "reconstruction": "f_b: rebuilds a corrupted sentence; else rules",
    "weak_question": "f_e: paraphrases weakly; else the question alone is left",
}


class Command(BankCommand):
    """ParaQD, section 4.2: one positive and one negative per question, from questions that no scorer is trained on.

    Uploaded for review, labelled there and exported with ``export_reviews --labelled``, they give the operators'
    precision, recall and accuracy, and the scorer's figures with ``evaluate paraphrase``.
    """

    help = "Write pairs of the test operators for the bank's held-out questions, to be labelled by reviewers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH")
        parser.add_argument("--questions", type=int, default=200, help="maximum number of pairs (200)")
        parser.add_argument("--seed", type=int, default=3407)
        for name, says in _MODELS.items():
            parser.add_argument(
                f"--{name.replace('_', '-')}", default="", metavar="MODEL", help=f"{says}; folder or hub id"
            )

    def handle(self, *_args: Any, path: Path, questions: int, seed: int, **options: Any) -> None:
        if questions < 1:
            raise ValidationFailed("--questions must be at least 1.")
        if options["grammar"] and not options["passive"]:
            raise ValidationFailed("--grammar corrects what --passive writes: name that model too.")
        material = scorer_material().questions
        if not material.held_out:
            raise ValidationFailed("The bank has no English question that is held out: add questions first.")
        from analytics.paraphrase.preparing import functions_for_test_sets  # importing torch takes seconds

        functions = functions_for_test_sets(**{name: options[name] for name in _MODELS})
        pairs = bank_test_pairs(material, questions, functions=functions, seed=seed)
        with written_aside(path) as file:
            for pair in pairs:
                file.write(f"{pair_line(pair)}\n".encode())
        self.stdout.write(
            f"{len(pairs):,} pairs of {min(questions, len(material.held_out)):,} held-out questions written to {path}."
            " Their labels are what the operators mean to make; reviewers say what they did make."
        )
