"""Find questions of the bank that are similar to a text, or to one of its questions."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from analytics.catalog import lenses, main_lens
from questionbank.bank.question_selectors import question_get
from questionbank.core.errors import ValidationFailed
from questionbank.management.base import BankCommand
from questionbank.registry.serving import serving
from questionbank.similar.file_results import check_lens, hit_fields, hit_lines, lens_help
from questionbank.similar.similarity import fold_copies, similar_questions, similar_to_text


class Command(BankCommand):
    """With --json, standard output contains nothing but JSON."""

    help = "Find the questions of the bank that are most similar to a text."
    needs_model = True

    def add_arguments(self, parser: ArgumentParser) -> None:
        asked = parser.add_mutually_exclusive_group(required=True)
        asked.add_argument("--text", help="a question, formulas in LaTeX")
        asked.add_argument("--id", type=int, help="the number of a question of the bank")
        parser.add_argument("--lens", default=main_lens().word, help=lens_help())
        parser.add_argument("--k", type=int, default=10, help="number of questions (10)")
        parser.add_argument("--language", default="", help="of the text; detected by default")
        parser.add_argument("--json", action="store_true", help="print [{id, text, concepts, score, reason, copies}]")

    def handle(self, *args: Any, text: str | None, k: int, **options: Any) -> None:
        lens = check_lens(options["lens"])
        if not 1 <= k <= 500:
            raise ValidationFailed("--k must be between 1 and 500.")
        if options["id"] is not None:
            question = question_get(question_id=options["id"])
            text = question.analysed_text
            result = similar_questions(question=question, lens=lens, serving=serving(), k=k)
        elif not text or not text.strip() or "\0" in text:
            raise ValidationFailed("--text must be the text of a question.")
        else:
            result = similar_to_text(text=text, lens=lens, serving=serving(), language=options["language"], k=k)
        if result.notice:
            self.stderr.write(result.notice)
        if not result.hits and lenses()[lens].takes(text):
            self.stderr.write("No question with a vector was found; run embed_questions after an import.")
        hits = fold_copies(result.hits)
        if options["json"]:
            self.stdout.write(json.dumps([hit_fields(hit) for hit in hits], ensure_ascii=False))
        else:
            self.stdout.write("\n".join(hit_lines(hits)))
