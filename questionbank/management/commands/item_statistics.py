"""Compute the figures of questions from pupils' responses."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from questionbank.core.wording import counted
from questionbank.management.base import BankCommand
from questionbank.responses.set_selectors import response_set_get, response_sets
from questionbank.responses.statistics_services import bank_statistics_compute, set_statistics_compute, sets_model
from questionbank.similar.predictions import text_difficulties


class Command(BankCommand):
    """Computes everything anew, for example after keys of questions were corrected."""

    help = "Compute the facility, discrimination, difficulty and choices by ability of all questions with responses."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--set", type=int, metavar="ID", help="compute this set rather than each one, before all sets together"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = [response_set_get(set_id=options["set"])] if options["set"] is not None else list(response_sets())
        for response_set in chosen:
            set_statistics_compute(response_set=response_set)
        sets_model()
        questions = bank_statistics_compute(text_estimates=text_difficulties)
        self.stdout.write(
            f"{counted(questions, 'question has', 'questions have')} figures, from"
            f" {counted(response_sets().count(), 'set', 'sets')} of responses."
        )
