"""What `manage.py evaluate` can measure; a literal table from its word to its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analytics.records import QuestionRecord
from questionbank.errors import ValidationFailed
from questionbank.formats import read
from questionbank.selectors.questions import content_hash
from questionbank.selectors.serving import serving
from worker.evaluation.probes import evaluate_probes
from worker.evaluation.search import evaluate_search

__all__ = ["EVALUATIONS"]


def _probes(options: Mapping[str, Any]) -> dict[str, Any]:
    if options["data"] is None:
        raise ValidationFailed("evaluate probes needs --data, a file or a folder of labelled questions.")
    return evaluate_probes(data=options["data"], serving=serving(), model=options["model"])


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
    """The questions of a file, or of every question file of a folder, as the bank knows them."""
    files = [data]
    if data.is_dir():
        files = sorted(
            file for file in data.rglob("*") if file.name.endswith((".jsonl", ".jsonl.gz", ".csv"))
        )
    hashes: set[bytes] = set()
    for file in files:
        for _line, entry in read(file):
            if isinstance(entry, QuestionRecord):
                hashes.add(content_hash(text=entry.text, options=entry.options))
    return hashes


EVALUATIONS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "probes": _probes,
    "search": _search,
}
