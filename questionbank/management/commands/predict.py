"""Predict concepts and difficulty for a file of questions, as JSON Lines."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any

from questionbank.management.base import FileCommand
from questionbank.registry.serving import serving
from questionbank.similar.file_results import question_predictions


class Command(FileCommand):
    """All predictions are in one hierarchy."""

    help = "Write the probable concepts and difficulty of each question of a JSON Lines file."
    writes = "predictions"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--hierarchy", help="predict in this hierarchy; by default the bank's")

    def converter(self, options: dict[str, Any], notices: set[str]) -> Callable[[Any], list[dict[str, Any]]]:
        hierarchy = options["hierarchy"]
        return partial(question_predictions, hierarchy=hierarchy, serving=serving(), notices=notices)
