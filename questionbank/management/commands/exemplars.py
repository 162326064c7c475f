"""Write worked exemplars for a file of problems as JSON Lines."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from analytics.analogy.retriever import ServedRetriever
from analytics.catalog import main_lens
from analytics.solver.solution import ProblemSolver
from questionbank.core.errors import KindredError, ServiceUnavailable, ValidationFailed
from questionbank.formats.answer_files import InputProblem
from questionbank.management.base import FileCommand
from questionbank.registry.serving import serving
from questionbank.similar.file_results import (
    FileCorpus,
    exemplar_solver,
    read_corpus,
    retriever_by_name,
    without_copies,
)


class Command(FileCommand):
    """Exemplars come only from the corpus, and nothing is added to the bank."""

    help = "Write the corpus problems closest in computation to each problem of a JSON Lines file."
    reads, writes = "problems", "exemplars"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--corpus", type=Path, required=True, help="corpus.jsonl, or .jsonl.gz")
        parser.add_argument("--k", type=int, default=8, help="exemplars per problem (8)")
        parser.add_argument(
            "--model", default="default", help="number or folder of a retriever, by default the one in use"
        )
        parser.add_argument(
            "--solver",
            default="default",
            help="number or folder of the solver that helps to choose, by default those in use; none: the"
            " retriever alone chooses",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["k"] < 1:
            raise ValidationFailed("--k must be at least 1.")
        refused: list[str] = []
        problems = read_corpus(options["corpus"], refused.append)
        for line in refused:
            self.stderr.write(line)
        super().handle(*args, **options, problems=problems)
        if refused:
            raise KindredError(f"{len(refused):,} lines of the corpus could not be read; the others were used.")

    def converter(self, options: dict[str, Any], notices: set[str]) -> Callable[[Any], list[dict[str, Any]]]:
        problems: list[InputProblem] = options["problems"]
        retriever = retriever_by_name(options["model"], [entry.problem.language for entry in problems])
        if retriever is None:
            notices.add("There is no retriever yet: the exemplars are near by the encoder in use.")
        solver = self._solver(options, retriever, problems, notices)
        corpus = FileCorpus(problems, retriever or serving().encoder(main_lens().word), notices, solver)
        return partial(corpus.exemplars, k=options["k"])

    def said(self, written: int, output: Path) -> str:
        return f"Exemplars of {written:,} problems are in {output}."

    def _solver(
        self,
        options: dict[str, Any],
        retriever: ServedRetriever | None,
        problems: Sequence[InputProblem],
        notices: set[str],
    ) -> ProblemSolver | None:
        """Return the requested solver; if none is in use, the retriever alone chooses."""
        try:
            solver_with = exemplar_solver(options["solver"], retriever)
            return solver_with and solver_with(without_copies(problems, options["input"]))
        except ServiceUnavailable as error:
            if options["solver"] != "default":
                raise
            notices.add(f"Exemplars are chosen without a solver: {error}")
            return None
