"""Evaluate a model, the search or the language model, and write the figures as JSON."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from questionbank.core.storage import refuse_unwritable
from questionbank.formats.answer_files import write_text
from questionbank.management.base import BankCommand


class Command(BankCommand):
    """Evaluates only; trains nothing. The exam of the language model also stores its verdicts."""

    help = "Measure a capability, or how well search finds known questions."
    needs_model = True
    servers = ("postgres", "redis")  # Redis counts the tokens of the exam

    def add_arguments(self, parser: ArgumentParser) -> None:
        from worker.evaluation import evaluations

        parser.add_argument("capability", choices=evaluations())
        parser.add_argument("--data", type=Path, help="JSON Lines file or a folder of them")
        parser.add_argument("--model", default="default", help="id of a model, by default the one in use")
        parser.add_argument(
            "--solver",
            default="default",
            help="analogy: number or folder of a solver that helps, by default those in use; none",
        )
        parser.add_argument("--k", type=int, default=8, help="analogy: exemplars per question (8)")
        parser.add_argument(
            "--ask",
            type=int,
            default=100,
            help="analogy: questions of each set that the configured language model answers (100; 0: none)",
        )
        parser.add_argument(
            "--shown",
            nargs="+",
            type=int,
            metavar="K",
            help="analogy: ask each question with this many exemplars, at most --k; 0: without (by default with all)",
        )
        parser.add_argument(
            "--answers", type=Path, help="analogy: file that keeps the language model's answers and is read first"
        )
        parser.add_argument("--answer-tokens", type=int, default=1024, help="analogy: maximum tokens per answer (1024)")
        parser.add_argument("--output", type=Path, help="file for the figures (JSON), which are printed too")
        parser.add_argument(
            "--limit", type=int, help="language_model: examples of each use, for a trial (by default all)"
        )
        parser.add_argument("--uses", nargs="+", metavar="USE", help="language_model: uses to examine (by default all)")
        parser.add_argument("--queries", type=int, default=300, help="search: queries of each kind (300)")
        parser.add_argument("--seed", type=int, default=0, help="search: of the sample; probes: of the first split (0)")
        parser.add_argument("--split", choices=["test", "dev"], default="test", help="search: half of the bank")
        parser.add_argument("--language", default="en", help="search, encoder: language of the questions (en)")
        parser.add_argument("--pairs", type=Path, help="encoder: JSON Lines of text, other and a similarity score")
        parser.add_argument("--triples", type=Path, help="encoder: JSON Lines of question, same_task and same_story")

    def handle(self, *_args: Any, capability: str, output: Path | None, **options: Any) -> None:
        from worker.evaluation import evaluate

        if output is not None:
            refuse_unwritable(output)
        figures = evaluate(capability, {**options, "echo": self.stderr.write})
        for reason in figures.get("unusable", {}).values():
            self.stderr.write(reason)
        if output is not None:
            write_text(output, json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
        self.stdout.write(json.dumps(figures, indent=2, ensure_ascii=False))
