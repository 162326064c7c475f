"""The evaluations of `manage.py evaluate`: every capability that defines one, and the search."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analytics.metrics import rounded
from analytics.records import QuestionRecord
from questionbank.bank.question_selectors import content_hash
from questionbank.core.errors import ValidationFailed
from questionbank.formats import read
from questionbank.registry.serving import serving
from worker.catalog import WORKER_CAPABILITIES
from worker.evaluation.search import evaluate_search

SEARCH = "search"


def evaluations() -> list[str]:
    """Return the words that the command takes."""
    return sorted([SEARCH, *(word for word, row in WORKER_CAPABILITIES.items() if row.can("evaluate"))])


def evaluate(word: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Evaluate a capability, or the search, with these options; figures are rounded for JSON.

    Raises:
        ValidationFailed: the capability needs data, and the options give none.
    """
    if word == SEARCH:
        return _search(options)
    row = WORKER_CAPABILITIES[word]
    if options["data"] is None:
        raise ValidationFailed(f"evaluate {word} needs --data: {row.measured_on}.")
    figures: dict[str, Any] = rounded(row.evaluate(options))
    return figures


def _search(options: Mapping[str, Any]) -> dict[str, Any]:
    return evaluate_search(
        serving=serving(),
        queries=options["queries"],
        seed=options["seed"],
        split=options["split"],
        language=options["language"],
        among=_content_hashes(options["data"]) if options["data"] else None,
    )


def _content_hashes(data: Path) -> set[bytes]:
    """Return the content hashes of the questions in a file, or in every question file of a folder."""
    files = [data]
    if data.is_dir():
        files = sorted(file for file in data.rglob("*") if file.name.endswith((".jsonl", ".jsonl.gz", ".csv")))
    hashes: set[bytes] = set()
    for file in files:
        for _line, entry in read(file):
            if isinstance(entry, QuestionRecord):
                hashes.add(content_hash(text=entry.text, options=entry.options, content=entry.content))
    return hashes
