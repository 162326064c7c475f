"""Questions and formulas of the public sets, for tests and benchmarks."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from analytics.text.formulas import formula_segments

SETS = ("math", "tal_scq_en", "opl")


@lru_cache(maxsize=8)
def public_questions(folder: Path, name: str, count: int) -> Sequence[dict[str, Any]]:
    """Return questions of one set, drawn with a fixed seed."""
    rows = []
    for path in sorted((folder / name).glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines]
    rows = [row for row in rows if row["text"].strip()]
    return random.Random(7).sample(rows, min(count, len(rows)))


def public_formulas(folder: Path, count: int) -> list[str]:
    """Return different formulas of all sets, as LaTeX without delimiters."""
    found: dict[str, None] = {}
    for name in SETS:
        for row in public_questions(folder, name, 4_000):
            found |= dict.fromkeys(_formulas(row))
    return random.Random(11).sample(sorted(found), count)


def _formulas(row: dict[str, Any]) -> Iterator[str]:
    for text in (row["text"], *(option["text"] for option in row.get("options") or []), row.get("solution") or ""):
        for segment in formula_segments(text):
            if 1 < len(segment.body.strip()) < 400 and "tabular" not in segment.body:
                yield segment.body.strip()
