"""Writes the demo bank to a file, for people without a site.

``python -m questionbank.demo --output FILE.jsonl [--seed N] [--size N]``
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from questionbank.demo.bank import generate_bank
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
    options = parser.parse_args(arguments)
    try:
        written = write(generate_bank(options.seed, options.size), options.output, "jsonl")
    except KindredError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    print(f"{written:,} questions written to {options.output}.")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
