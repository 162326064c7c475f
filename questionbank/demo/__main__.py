"""Writes the demo bank to a file: ``python -m questionbank.demo --output FILE.jsonl [--seed N] [--size N]``."""

from __future__ import annotations

import argparse
import gzip
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from analytics.records import QuestionRecord
from questionbank.demo.bank import generate_bank


def record_row(record: QuestionRecord) -> dict[str, Any]:
    """Return a question as one row of the interchange format; what it does not have is left out."""
    row: dict[str, Any] = {
        "id": record.id,
        "text": record.text,
        "language": record.language,
        "kind": record.kind,
        "options": [
            {"label": option.label, "text": option.text}
            | ({"misconception": option.misconception} if option.misconception else {})
            for option in record.options
        ],
        "answer": record.answer,
        "solution": record.solution,
        "equation": record.equation,
        "numbers": list(record.numbers),
        "concepts": [list(path) for path in record.concepts],
        "difficulty": record.difficulty,
        "difficulty_scale": record.difficulty_scale,
        "grade": record.grade,
        "source": record.source,
        "responses": record.responses,
        "facility": record.facility,
    }
    return {name: value for name, value in row.items() if value not in ("", None, [])}


def write_rows(path: Path, records: Iterable[QuestionRecord]) -> None:
    """Write JSON Lines, gzip-compressed where the name ends in ``.gz``: aside first, then renamed."""
    aside = path.with_name(f".{path.name}.part")
    try:
        with aside.open("wb") as file:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                    _write(packed, records)
            else:
                _write(file, records)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def _write(file: io.BufferedIOBase, records: Iterable[QuestionRecord]) -> None:
    for record in records:
        file.write(json.dumps(record_row(record), ensure_ascii=False).encode() + b"\n")


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
        records = generate_bank(options.seed, options.size)
        write_rows(options.output, records)
    except ValueError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 1
    except OSError as error:
        print(f"Cannot write {options.output}: {error.strerror}.", file=sys.stderr)  # noqa: T201
        return 1
    print(f"{len(records)} questions written to {options.output}.")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
