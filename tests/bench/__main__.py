"""`make bench`: every benchmark, each in a process of its own, with the machine it ran on.

Each compares with the alternative a user would pick, in one run. `--only NAME` runs one.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys

BENCHMARKS = (
    "encode",
    "exemplars",
    "formulas",
    "hierarchies",
    "imports",
    "judged_search",
    "load",
    "paraphrases",
    "search",
    "solving",
    "training",
    "vectors",
)


def machine() -> str:
    """Processor, cores and memory in one line."""
    model = platform.processor() or "unknown processor"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), model)
    gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {os.cpu_count()} cores, {gibibytes:.0f} GiB, Python {platform.python_version()}"


def main() -> int:
    """Run the benchmarks; the exit code is the worst of theirs."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=BENCHMARKS)
    arguments, rest = parser.parse_known_args()
    print(f"Machine: {machine()}\n", flush=True)  # noqa: T201
    worst = 0
    for name in [arguments.only] if arguments.only else BENCHMARKS:
        print(f"== {name}", flush=True)  # noqa: T201
        worst = max(worst, subprocess.run([sys.executable, "-m", f"tests.bench.{name}", *rest]).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
