"""Pairs of problems and their rewritings, from which a retriever of analogous problems can learn without labels."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from analytics.json_lines import read_objects
from analytics.question_files import read_problems
from analytics.records import ProblemRecord
from questionbank.core.errors import ValidationFailed
from questionbank.management.base import BankCommand
from questionbank.registry.artifact_services import artifact_install_default
from questionbank.solving.solution_files import solver_by_name
from worker.analogy.rewriting import ModelRewriter, Rewriter, RuleRewriter, rewritten_pairs
from worker.language_models import open_language_model


class Command(BankCommand):
    """Yang et al., "Learning by Analogy", section 4; ``python -m analytics train analogy --data`` reads the output."""

    help = "Rewrite word problems: pairs of a problem and another that is confirmed to compute the same."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--input", type=Path, required=True, help="problems.jsonl, or .jsonl.gz")
        parser.add_argument(
            "--output",
            type=Path,
            required=True,
            help="pairs.jsonl; existing pairs are kept, and the others are tried again",
        )
        parser.add_argument(
            "--by", choices=("rules", "model"), default="rules", help="rules (English), or the language model"
        )
        parser.add_argument("--most", type=int, default=5000, help="maximum number of pairs to write (5000)")
        parser.add_argument("--seed", type=int, default=3407)

    def handle(self, *_args: Any, **options: Any) -> None:
        output: Path = options["output"]
        if options["most"] < 1:
            raise ValidationFailed("--most must be at least 1.")
        if output.suffix == ".gz":
            raise ValidationFailed("The output grows pair by pair, so it cannot be compressed: name it pairs.jsonl.")
        stored_pairs: set[str] = set()
        if output.is_file():
            stored_pairs = _pairs_of(output)
        problems = read_problems(options["input"]).learned
        refused: Counter[str] = Counter()
        written = 0
        with ExitStack() as stack:
            rewriter: Rewriter = RuleRewriter()
            if options["by"] == "model":
                artifact_install_default(report=self.stderr.write)
                model = stack.enter_context(open_language_model())
                rewriter = ModelRewriter(model, solver_by_name("default"))
            pairs = rewritten_pairs(problems, rewriter, seed=options["seed"], known=stored_pairs, refused=refused)
            file = stack.enter_context(output.open("a", encoding="utf-8"))
            for pair in islice(pairs, options["most"]):
                file.write("".join(map(_line, pair)))
                file.flush()
                written += 1
        self.stdout.write(f"{written:,} pairs written to {output}, which held {len(stored_pairs):,} before.")
        for reason, count in refused.most_common():
            self.stdout.write(f"{count:,} problems left out: {reason}.")


def _pairs_of(output: Path) -> set[str]:
    """Return the pair names in an existing output file.

    Raises:
        ValidationFailed: a line has no pair, so it is a different kind of file.
    """
    names = set()
    for number, line in read_objects(output):
        if not line.get("pair"):
            raise ValidationFailed(f"Line {number} of {output} names no pair: give another --output.")
        names.add(str(line["pair"]))
    return names


def _line(problem: ProblemRecord) -> str:
    fields = {"id": problem.id, "text": problem.text, "language": problem.language, "pair": problem.pair}
    return json.dumps(fields, ensure_ascii=False) + "\n"
