"""``python -m worker.reproduction CAPABILITY ...``: `manage.py reproduce` without Django."""

from __future__ import annotations

import sys
from argparse import ArgumentParser

from analytics.errors import AnalyticsError
from questionbank.core.errors import KindredError
from worker.catalog import WORKER_CAPABILITIES
from worker.reproduction.command import add_arguments, reproduce
from worker.table import TABLE

WORKER_CAPABILITIES.load = lambda: TABLE  # as `worker.apps` does when Django starts


def main(arguments: list[str] | None = None) -> int:
    """Print the table; on failure write a sentence to standard error and return exit code 1."""
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
