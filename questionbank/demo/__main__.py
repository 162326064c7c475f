"""Writes the demo bank to a file, for people without a site.

``python -m questionbank.demo --output FILE.jsonl [--seed N] [--size N]``
``python -m questionbank.demo --output FILE.jsonl --pairs [--seed N]`` writes labelled paraphrases instead, those of the
patterns' phrasings and those of the stories.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from questionbank.atomic_file import written_aside
from questionbank.demo.bank import generate_bank
from questionbank.demo.paraphrases import generate_pairs
from questionbank.demo.stories import story_pairs
from questionbank.errors import KindredError
from questionbank.formats.catalog import write

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m questionbank.demo", description="Write the demo bank as JSON Lines."
    )
    parser.add_argument("--output", type=Path, required=True, help="the file to write; .gz compresses it")
    parser.add_argument("--seed", type=int, default=2026, help="another seed gives other questions")
    parser.add_argument("--size", type=int, default=2400, help="how many questions")
    parser.add_argument("--pairs", action="store_true", help="write labelled paraphrases, for a scorer")
    options = parser.parse_args(arguments)
    try:
        if options.pairs:
            return _write_pairs(options.output, options.seed)
        written = write(generate_bank(options.seed, options.size), options.output, "jsonl")
    except KindredError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    print(f"{written:,} questions written to {options.output}.")  # noqa: T201
    return 0


def _write_pairs(path: Path, seed: int) -> int:
    pairs = [*generate_pairs(seed), *story_pairs(seed)]
    lines = "".join(json.dumps(asdict(pair), ensure_ascii=False) + "\n" for pair in pairs).encode()
    with written_aside(path) as file:
        file.write(gzip.compress(lines, mtime=0) if path.suffix == ".gz" else lines)
    print(f"{len(pairs):,} pairs written to {path}.")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
