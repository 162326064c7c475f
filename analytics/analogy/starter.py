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
from analytics.errors import ArtifactError
from analytics.starters import copy_adapter, starter_main

STARTER_FOLDER = Path(__file__).parent / "starter"
CHINESE_FOLDER = Path(__file__).parent / "starter_chinese"
_STARTERS = {
    ("en",): (STARTER_FOLDER, "Kindred starter retriever"),
    ("zh",): (CHINESE_FOLDER, "Kindred starter retriever for Chinese"),
}
"""Folder and name by the languages of the problems that a retriever keeps."""

LARGEST_RETRIEVER = 18_000_000  # bytes: the datastores have 8.7 and 8.4 million of them


def write_starter(model: Path, folder: Path | None = None) -> Manifest:
    """Make the adapter, the head and the datastore of a retriever's artifact a starter.

    Args:
        model: artifact folder of a retriever that was trained with ``adapter_rank``.
        folder: where it is written; by default where the program looks for it.

    Raises:
        ArtifactError: the model is no retriever with an adapter, it is too large, or there is no starter for its
            languages.
    """
    datastore = load_datastore(model)
    languages = datastore.languages if datastore is not None else ("en",)
    if languages not in _STARTERS:
        raise ArtifactError(f"There is no starter for the languages of {model}: {', '.join(languages)}.")
    default_folder, name = _STARTERS[languages]
    return copy_adapter(
        model, folder or default_folder, capability="analogy", name=name, largest=LARGEST_RETRIEVER
    )


if __name__ == "__main__":
    sys.exit(starter_main("analytics.analogy.starter", write_starter, sys.argv[1:]))
