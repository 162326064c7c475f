"""The retrievers that a new installation begins with: adapter, head and datastore of each.

One is for Chinese, the other for every other language that its encoder knows. `python -m analytics.analogy.starter
MODEL` copies them from a trained artifact into the package, by the language of the problems that it keeps; the manifest
says how it was trained and what was measured.
"""

from __future__ import annotations

import sys
from pathlib import Path

from analytics.analogy.datastore import load_datastore
from analytics.artifacts import Manifest
from analytics.starters import copy_adapter, starter_main

__all__ = ["CHINESE_FOLDER", "LARGEST_RETRIEVER", "STARTER_FOLDER", "write_starter"]

STARTER_FOLDER = Path(__file__).parent / "starter"
CHINESE_FOLDER = Path(__file__).parent / "starter_chinese"
LARGEST_RETRIEVER = 16_000_000  # bytes: the datastore has 8.7 million of them


def write_starter(model: Path, folder: Path | None = None) -> Manifest:
    """Make the adapter, the head and the datastore of a retriever's artifact a starter.

    Args:
        model: artifact folder of a retriever that was trained with ``adapter_rank``.
        folder: where it is written; by default where the program looks for it.

    Raises:
        ArtifactError: the model is no retriever with an adapter, or it is too large.
    """
    datastore = load_datastore(model)
    is_chinese = datastore is not None and datastore.languages == ("zh",)
    own, name = (
        (CHINESE_FOLDER, "Kindred starter retriever for Chinese")
        if is_chinese
        else (STARTER_FOLDER, "Kindred starter retriever")
    )
    return copy_adapter(model, folder or own, capability="analogy", name=name, largest=LARGEST_RETRIEVER)


if __name__ == "__main__":
    sys.exit(starter_main("analytics.analogy.starter", write_starter, sys.argv[1:]))
