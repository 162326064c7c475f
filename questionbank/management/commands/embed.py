"""Write the vectors of a file of questions as JSON Lines."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any

from analytics.catalog import main_lens
from questionbank.management.base import FileCommand
from questionbank.registry.serving import serving
from questionbank.similar.file_results import check_lens, lens_help, question_vectors


class Command(FileCommand):
    """The vector is null if no model knows the text's language."""

    help = "Write the vector of each question of a JSON Lines file: {id, vector}."
    writes = "vectors"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--lens", default=main_lens().word, help=lens_help())

    def converter(self, options: dict[str, Any], notices: set[str]) -> Callable[[Any], list[dict[str, Any]]]:
        lens = check_lens(options["lens"])
        return partial(question_vectors, lens=lens, serving=serving(), notices=notices)
