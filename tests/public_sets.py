"""Public sets as tests make them: folders of compressed JSON Lines."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path


def write_set(folder: Path, name: str, rows: Iterable[Mapping[str, object]]) -> Path:
    """Write the rows of a set, such as ``gsm8k/train``, and return its file."""
    path = folder / f"{name}.jsonl.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    return path
