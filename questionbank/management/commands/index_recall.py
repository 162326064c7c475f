"""Measure the recall of the vector indexes."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from questionbank.core.errors import NotFound
from questionbank.management.base import BankCommand
from questionbank.models import EmbeddingSet
from questionbank.search.services import recall_measure


class Command(BankCommand):
    """Compares each set's index with exact search; the result is stored for the health page."""

    help = "Measure the recall of the vector indexes in use against exact search."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--queries", type=int, default=200, help="number of stored vectors to query (200)")
        parser.add_argument("--k", type=int, default=10, help="neighbours per query (10)")
        parser.add_argument("--json", action="store_true", help="print JSON only")

    def handle(self, *args: Any, queries: int, k: int, **options: Any) -> None:
        measured = {}
        for embedding_set in EmbeddingSet.objects.filter(is_current=True).order_by("lens", "scope"):
            measured[embedding_set.word] = recall_measure(embedding_set=embedding_set, queries=queries, k=k)
        if not measured:
            raise NotFound("The bank has no vectors yet; compute them with embed_questions.")
        if options["json"]:
            self.stdout.write(json.dumps({lens: figure.as_dict() for lens, figure in measured.items()}))
            return
        for lens, figure in measured.items():
            self.stdout.write(
                f"{lens}: recall@{k} {figure.recall:.4f} over {figure.queries} queries;"
                f" p95 {figure.p95_ms} ms (exact search: median {figure.exact_p50_ms} ms)"
            )
