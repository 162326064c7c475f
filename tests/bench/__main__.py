"""`make bench`: every benchmark, each in a process of its own, with the machine it ran on.

Each compares with the alternative a user would pick, in one run. `--only NAME` runs one.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from pathlib import Path

BENCHMARKS = (
    "api",
    "documents",
    "encode",
    "exemplars",
    "formats",
    "formulas",
    "hierarchies",
    "imports",
    "judged_search",
    "language_model",
    "load",
    "paraphrases",
    "printing",
    "search",
    "solving",
    "training",
    "vectors",
)


FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8", "asimd", "bf16", "sve")
"""Of /proc/cpuinfo: the instructions on which encoding and training depend."""


def machine(cpuinfo: str | None = None) -> str:
    """Return processor, cores, memory, instructions and threads in one line, as /proc/cpuinfo and torch say."""
    import torch

    if cpuinfo is None:
        cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    said = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in cpuinfo.splitlines())}
    model = said.get("model name") or platform.processor() or "unknown processor"
    has = (said.get("flags") or said.get("Features") or "").split()
    gibibytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{model}, {os.cpu_count()} cores, {gibibytes:.0f} GiB, Python {platform.python_version()},"
        f" torch {torch.__version__}, {torch.get_num_threads()} threads;"
        f" {', '.join(flag for flag in FLAGS if flag in has) or 'none of the usual vector instructions'}"
    )


def main() -> int:
    """Run the benchmarks; the exit code is the worst of theirs."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--only", choices=BENCHMARKS)
    arguments, rest = parser.parse_known_args()
    this = machine()
    print(f"Machine: {this}\n", flush=True)
    worst = 0
    for name in [arguments.only] if arguments.only else BENCHMARKS:
        print(f"== {name} ({this})", flush=True)
        worst = max(worst, subprocess.run([sys.executable, "-m", f"tests.bench.{name}", *rest]).returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
