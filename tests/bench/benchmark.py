"""What benchmarks share: options, the clock, ways compared in turns, processes of their own, gates and aims."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

BASE_DIR = Path(__file__).resolve().parents[2]
SHARED_DATA = BASE_DIR.parent / "shared" / "data"
KEPT_IN = BASE_DIR / "var" / "bench"
Result = TypeVar("Result")


def read_options(**defaults: Any) -> argparse.Namespace:
    """Return the options of the benchmark that runs, which its docstring explains.

    Args:
        defaults: an option each, of the default's type; False is a switch. `--data` (the folder of the public sets)
            and `--keep` (where banks are kept) are options of every benchmark, and what is not known is left to the
            others: `python -m tests.bench` hands all options to each.
    """
    running = sys.modules["__main__"]
    parser = argparse.ArgumentParser(
        prog=f"python -m {running.__spec__.name if running.__spec__ else 'tests.bench'}",
        description=running.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, default in {"data": SHARED_DATA, "keep": KEPT_IN, **defaults}.items():
        how: dict[str, Any] = {"type": type(default), "default": default}
        parser.add_argument(f"--{name.replace('_', '-')}", **({"action": "store_true"} if default is False else how))
    return parser.parse_known_args()[0]


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the seconds that a call takes, and its result."""
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def in_turns(
    ways: Mapping[str, Callable[[], Result]], rounds: int, before: Callable[[], object] = lambda: None
) -> tuple[dict[str, list[float]], dict[str, Result]]:
    """Return the seconds of each way, so that whatever else runs disturbs all of them, and its last result."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    results = {}
    for _round in range(rounds):
        for name, way in ways.items():
            before()
            spent, results[name] = timed(way)
            seconds[name].append(spent)
    return seconds, results


def in_own_process(way: str, path: Path) -> dict[str, Any]:
    """Run the benchmark in a process of its own, with the options ``--child`` and ``--file``; it prints JSON last."""
    module = sys.modules["__main__"].__spec__.name
    command = [sys.executable, "-m", module, "--child", way, "--file", str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    outcome: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return outcome


def gate(what: str, is_met: bool) -> int:
    """Print whether a gate is met; returns the exit code."""
    print(f"gate: {what}:", "passed" if is_met else "MISSED", flush=True)
    return int(not is_met)


def aim(what: str, is_reached: bool) -> None:
    """Print whether an aim is reached; it is no error where other programs may have been busy."""
    print(f"aim: {what}:", "reached" if is_reached else "MISSED", flush=True)
