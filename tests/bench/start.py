"""How long a start takes, step by step, and what an idle site uses afterwards.

    python -m tests.bench.start [--clone FOLDER] [--idle SECONDS]

`--clone` names a folder of its own that does not exist: the commit is cloned there and `make setup` is timed too, which
takes 3 GB. Otherwise this checkout's environment serves. Two starts follow in a new `VAR_DIR`, the demo's first and a
second one, each until the first page; every line that `serve` says is a step. With `--idle` the second one runs on for
so long, and the processor time of all its processes is counted, and projected to an hour.
The aims, on two cores that do nothing else: 180 seconds from the clone to the first page, 8 for the second start, and
five minutes of one core in the hour after the first start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from questionbank.local.instance import free_port
from tests.bench.benchmark import BASE_DIR, aim, read_options

MOST_FIRST, MOST_SECOND, MOST_IDLE = 180.0, 8.0, 300.0  # seconds


def main() -> int:
    """Print the steps; the exit code is 1 where Kindred does not start."""
    options = read_options(clone="", idle=0.0)
    checkout, installed = BASE_DIR, 0.0
    if options.clone:
        checkout = Path(options.clone).absolute()
        began = time.monotonic()
        subprocess.run(["git", "clone", "--quiet", str(BASE_DIR), str(checkout)], check=True)
        subprocess.run(["make", "setup"], cwd=checkout, check=True)
        installed = time.monotonic() - began
        print(f"{installed:8.1f} s  cloned and installed", flush=True)
    with tempfile.TemporaryDirectory(prefix="kindred-start-") as var:
        with started(checkout, Path(var), "first start") as (first, process):
            idle = idle_seconds(process, options.idle)
        with started(checkout, Path(var), "second start") as (second, _process):
            pass
    aim(f"the first page after at most {MOST_FIRST:.0f} s", installed + first <= MOST_FIRST)
    aim(f"the second start within {MOST_SECOND:.0f} s", second <= MOST_SECOND)
    if options.idle:
        aim(f"at most {MOST_IDLE:.0f} s of one core in an idle hour", idle <= MOST_IDLE)
    return 0


@contextmanager
def started(checkout: Path, var: Path, name: str) -> Iterator[tuple[float, subprocess.Popen[str]]]:
    """Start Kindred, and yield the seconds until its first page, and its supervisor; it is stopped at the end."""
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_URL")}
    environment |= {"DEMO": "1", "VAR_DIR": str(var), "PORT": str(free_port(18400)), "HF_HUB_OFFLINE": "1"}
    environment |= {"PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": ""}
    own = checkout / ".venv" / "bin" / "python"
    command = [str(own) if checkout != BASE_DIR else sys.executable, "manage.py", "serve"]
    print(f"{name}:", flush=True)
    began = time.monotonic()
    with subprocess.Popen(
        command, cwd=checkout, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield _seconds_to_first_page(process, began), process
        finally:
            process.terminate()


def _seconds_to_first_page(process: subprocess.Popen[str], began: float) -> float:
    for line in process.stdout or ():
        seconds = time.monotonic() - began
        if line.strip():
            print(f"{seconds:8.1f} s  {line.rstrip()}", flush=True)
        if line.startswith("Kindred is ready"):
            return seconds
    raise SystemExit("Kindred did not start.")


def idle_seconds(supervisor: subprocess.Popen[str], seconds: float) -> float:
    """Wait so long, and return the processor time of all processes in it, projected to an hour."""
    if not seconds:
        return 0.0
    time.sleep(seconds)
    used = sum(_processor_seconds(pid) for pid in _family(supervisor.pid))
    print(f"{used:8.1f} s of processor time in {seconds:.0f} s; {used / seconds * 3600:.0f} s an hour", flush=True)
    return used / seconds * 3600


def _family(pid: int) -> list[int]:
    from tests.faults.instance import children_of

    return [pid, *(each for child in children_of(pid) for each in _family(child))]


def _processor_seconds(pid: int) -> float:
    """Return the time of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
