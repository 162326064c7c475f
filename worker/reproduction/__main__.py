"""Reproduce the tables of a capability's paper from the command line, with or without Django.

``manage.py reproduce`` and ``python -m worker.reproduction CAPABILITY ...`` take the same arguments; the latter needs
neither Django nor a database, so that it runs on a GPU machine with little else installed.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from analytics.atomic_file import write_text
from analytics.errors import AnalyticsError
from questionbank.core.errors import KindredError
from worker.catalog import WORKER_CAPABILITIES
from worker.reproduction.tables import put_table
from worker.table import TABLE


def add_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of both commands to a parser."""
    parser.add_argument(
        "capability", choices=sorted(word for word, row in WORKER_CAPABILITIES.items() if row.can("reproduce"))
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with a folder for each public set")
    parser.add_argument("--arms", nargs="+", metavar="ARM", help="by default all")
    parser.add_argument("--seeds", nargs="+", type=int, metavar="SEED", help="by default 0 1 2, 3407 1 2, or 42")
    parser.add_argument("--train-on", nargs="+", metavar="SET")
    parser.add_argument("--measure-on", nargs="+", metavar="SET")
    parser.add_argument(
        "--questions", type=int, default=0, help="paraphrase, solver: maximum number of items from each set (0: all)"
    )
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="of the training")
    parser.add_argument(
        "--retriever",
        type=Path,
        help="solver: folder of the retriever that the arm none-recalling asks for similar problems",
    )
    parser.add_argument(
        "--ask",
        type=int,
        default=100,
        help="analogy: questions of each set that the configured language model answers (100; 0: none)",
    )
    parser.add_argument(
        "--pairs", type=Path, help="analogy: file of rewrite_problems that the arm rewritten-model learns from"
    )
    parser.add_argument(
        "--moments",
        type=int,
        default=0,
        help="solver: number of evenly spaced moments of each training at which the encoder is measured, with the"
        " end (0: only at the end)",
    )
    parser.add_argument(
        "--skip-representation",
        action="store_true",
        help="solver: measure what arms solve, and not how their encoders place problems (Pattern-CL's figures)",
    )
    parser.add_argument("--output", type=Path, required=True, help="folder for the runs and the table")
    parser.add_argument(
        "--results", type=Path, help="Markdown file that gets the table, between the marks of --output's name"
    )


def reproduce(options: Mapping[str, Any], say: Callable[[str], Any]) -> str:
    """Run what is missing, and return the table, which is also written into the output folder.

    Args:
        options: options parsed with `add_arguments`.
        say: called with a line of text for each event.

    Raises:
        AnalyticsError: an arm, a set or a setting is unknown, or the data cannot be used.
        ValidationFailed: the results document has no markers for the table.
        OSError: the output cannot be written.
    """
    output: Path = options["output"]
    table = WORKER_CAPABILITIES[options["capability"]].reproduce(output, options, say)
    write_text(output / "table.md", table)
    if options["results"]:
        put_table(options["results"], f"reproduce {options['capability']} {output.name}", table)
    return table


def main(arguments: list[str] | None = None) -> int:
    """Print the table; on failure write a sentence to standard error and return exit code 1."""
    WORKER_CAPABILITIES.load = lambda: TABLE  # as `worker.apps` does when Django starts
    parser = ArgumentParser(prog="python -m worker.reproduction", description=__doc__)
    add_arguments(parser)
    try:
        table = reproduce(vars(parser.parse_args(arguments)), lambda line: sys.stderr.write(f"{line}\n"))
    except (AnalyticsError, KindredError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
