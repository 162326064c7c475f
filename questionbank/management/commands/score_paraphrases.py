"""Score a file of paraphrases, as JSON Lines."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any

from questionbank.formats.answer_files import convert_pairs
from questionbank.management.base import FileCommand
from questionbank.review.evidence_services import pair_scores, scorer_by_number


class Command(FileCommand):
    """A pair that the scorer cannot read gets no score."""

    help = "Score each pair of a JSON Lines file: {id, score, verdict, probability, findings}."
    reads, writes = "pairs", "scores"
    convert = staticmethod(convert_pairs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--model", default="default", help="number of a scorer, by default the one in use")

    def converter(self, options: dict[str, Any], notices: set[str]) -> Callable[[Any], list[dict[str, Any]]]:
        return partial(pair_scores, scorer=scorer_by_number(options["model"]), notices=notices)
