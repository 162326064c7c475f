"""Run pandoc, a separate GPL program that reads documents (the extra ``documents``).

It runs as a child process without access to files and network (``--sandbox``), with memory and time limits; the
document is passed on standard input and its blocks are returned as JSON.
"""

from __future__ import annotations

import json
import subprocess
from functools import cache
from typing import Any

from questionbank.core.errors import DocumentRefused
from questionbank.papers.packages import TOO_DEEP

INSTALL = 'install the extra "documents" (pip install "kindred[documents]") and restart Kindred'
SECONDS_LIMIT = 60
MEMORY = "512M"
OUTPUT_LIMIT = 200 * 1024 * 1024  # bytes of JSON
_HEAP_IS_FULL = 251  # exit status of a Haskell program at its memory limit


@cache
def pandoc_path() -> str:
    """Return the path of pandoc; empty if the extra is not installed."""
    try:
        import pypandoc  # imported here because the extra is optional

        return str(pypandoc.get_pandoc_path())
    except (ImportError, OSError):
        return ""


def run_pandoc(data: bytes, source: str, target: str, *options: str) -> bytes:
    """Convert a document to another format.

    Args:
        data: the document.
        source: pandoc's name for its format.
        target: pandoc's name for the new format.
        options: further options of pandoc.

    Raises:
        DocumentRefused: If pandoc is not installed, or the document is damaged, too large or takes too long.
    """
    path = pandoc_path()
    if not path:
        raise DocumentRefused(
            f"Documents other than plain text are read by pandoc, which is not installed. To read them, {INSTALL}."
            " Or copy the text of the document and paste it."
        )
    command = [path, "--sandbox", "-f", source, "-t", target, *options, "+RTS", f"-M{MEMORY}", "-RTS"]
    try:
        finished = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS_LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise DocumentRefused(
            f"Reading the document took longer than {SECONDS_LIMIT} seconds. Split it into smaller documents."
        ) from error
    if finished.returncode == _HEAP_IS_FULL or len(finished.stdout) > OUTPUT_LIMIT:
        raise DocumentRefused("The document needs too much memory to read. Split it into smaller documents.")
    if finished.returncode:
        raise DocumentRefused(
            "The document is damaged, or is not what its name says. Open it in its own program and save it again."
        )
    return finished.stdout


def document_blocks(data: bytes, source: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return a document's metadata and blocks, as in pandoc's JSON.

    Raises:
        DocumentRefused: As for `run_pandoc`.
    """
    try:
        document = json.loads(run_pandoc(data, source, "json"))
    except RecursionError as error:
        raise DocumentRefused(TOO_DEEP) from error
    return document["meta"], document["blocks"]
