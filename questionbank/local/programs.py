"""The programs of a running Kindred, and each one's process and log. `make run` and the containers start the same ones.

Logs never raise and never grow without bound. A full disk must not end the supervisor: lines that cannot be written
are counted and dropped.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from questionbank.local.die_with_parent import dying_with_us
from questionbank.local.server import open_log

MAX_LOG_BYTES = 10_000_000


class Log:
    """The log of one program, rotated to `<name>.1` whenever it exceeds 10 MB."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lost = 0
        self._file = None
        self._bytes = 0
        self._open()

    def _open(self) -> None:
        with suppress(OSError):
            self._file = open_log(self._path, max_bytes=MAX_LOG_BYTES)
            self._bytes = os.fstat(self._file.fileno()).st_size

    def write(self, line: bytes) -> None:
        """Append a line, or count it as lost."""
        if self._file is None or self._bytes > MAX_LOG_BYTES:
            self.close()
            self._open()
        note = b"%d lines are missing here: they could not be written\n" % self._lost if self._lost else b""
        text = note + line + b"\n"
        try:
            if self._file is None:
                raise OSError
            written = self._file.write(text) or 0
        except OSError:
            self._lost += 1
        else:
            self._bytes += written
            self._lost = 0 if written == len(text) else self._lost + 1

    def close(self) -> None:
        """Close the file; the next write opens it again."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()
            self._file = None


def rotate_in_place(path: Path) -> None:
    """Rotate a log that a server keeps open: copy it, then truncate it (the server appends)."""
    with suppress(OSError):
        if path.stat().st_size <= MAX_LOG_BYTES:
            return
        try:
            shutil.copyfile(path, path.with_name(path.name + ".1"))
        finally:  # even without room for a copy: the log must not fill the disk
            os.truncate(path, 0)


# --- a running program ----------------------------------------------------------------------------

_SHORT_LINE = 160
_ROUTINE = re.compile(rb"\[(info|debug)\s*\]", re.IGNORECASE)  # how gunicorn and structlog mark their lines


@dataclass(frozen=True)
class Program:
    """A command to keep running."""

    name: str
    command: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)  # in addition to our own
    directory: Path | None = None
    niceness: int = 0  # higher values give way to other programs


class RunningChild:
    """A running program: in its own process group, ends with its parent, and writes to a log.

    Args:
        program: What to run.
        log_path: Receives its complete output.
        echo: Receives each line not marked as routine, shortened and prefixed with the program's name.
    """

    def __init__(self, program: Program, log_path: Path, echo: Callable[[str], None]) -> None:
        self.program = program
        self.started = time.monotonic()
        self._log = Log(log_path)
        self._echo = echo
        self._unfinished = b""  # the incomplete last line
        self._stopped_since: float | None = None
        self._process = subprocess.Popen(
            dying_with_us(program.command, niceness=program.niceness),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **program.environment},
            cwd=program.directory,
            start_new_session=True,
        )
        self.output: IO[bytes] = self._process.stdout  # type: ignore[assignment]  # it is a pipe
        os.set_blocking(self.output.fileno(), False)

    def has_exited(self) -> bool:
        """Return whether it exited, without reaping it: until then its process id, and so its group, stays valid."""
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def ask_to_end(self) -> None:
        """Send SIGTERM to the program itself, which knows best how to stop its own children."""
        self._process.send_signal(signal.SIGTERM)

    def kill(self) -> int:
        """Kill what is left of the process group, store its last output, and return the exit code."""
        with suppress(ProcessLookupError, PermissionError):  # all of it has ended
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        self.copy_output()
        self._write(self._unfinished)
        self.output.close()
        self._log.close()
        return code

    def wake(self, stopped_by_session: Mapping[int, Sequence[int]], *, after_seconds: float) -> bool:
        """Continue the program's processes that have been stopped (SIGSTOP) for so long; return whether any were."""
        stopped = stopped_by_session.get(self._process.pid)
        if not stopped:
            self._stopped_since = None
            return False
        if self._stopped_since is None:
            self._stopped_since = time.monotonic()
        if time.monotonic() - self._stopped_since < after_seconds:
            return False
        self._stopped_since = None
        for pid in stopped:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
        return True

    def copy_output(self) -> bool:
        """Copy the available output; return False at end of file."""
        while chunk := self.output.read(65536):
            *lines, self._unfinished = (self._unfinished + chunk).split(b"\n")
            for line in lines:
                self._write(line)
        return chunk is None

    def _write(self, line: bytes) -> None:
        if not line.strip():
            return
        self._log.write(line)
        if _ROUTINE.search(line):
            return
        text = line.decode(errors="replace").rstrip()
        rest = " ..." if len(text) > _SHORT_LINE else ""
        self._echo(f"{self.program.name} | {text[:_SHORT_LINE]}{rest}")


# --- which programs -------------------------------------------------------------------------------

LARGEST_WORKER_KIB = 1_200_000
NICENESS = {"worker-default": 5, "worker-train": 5}  # long-running work yields the processors to pages
_PROJECT = Path(__file__).resolve().parents[2]
_CELERY = [sys.executable, "-m", "celery", "--app", "worker.celery", "--quiet"]


def metrics_folder(var_dir: Path) -> Path:
    """Return the folder where web processes store their metrics for the process `metrics`."""
    return var_dir / "metrics"


def programs(var_dir: Path, *, host: str, port: int) -> dict[str, Program]:
    """Return all processes by name, each separate: the site, a worker for each queue, and the scheduler."""
    commands = {
        "web": _site(host, port, processes=2, threads=4),
        "worker-default": _bulk_worker("default"),
        # short tasks, in one process that never loads PyTorch
        "worker-light": [*_worker("light", "light"), "--pool", "solo"],
        # CUDA does not survive a fork, so training runs in the worker's main process
        "worker-train": [*_worker("train", "train"), "--pool", "solo"],
        "beat": [*_CELERY, "beat", "--schedule", str(_schedule(var_dir))],
    }
    return _with_settings(commands, var_dir, host=host, port=port)


def programs_of_machine(var_dir: Path, *, host: str, port: int, few: bool) -> dict[str, Program]:
    """Return the processes for a whole installation on one machine, with the scheduler as part of a worker.

    Args:
        few: for a machine with little memory: a single site process, and one worker for short and long tasks.
    """
    clock = ["--clock", str(_schedule(var_dir))]
    together = programs(var_dir, host=host, port=port)
    del together["beat"]
    commands = {"worker-default": [*together["worker-default"].command, *clock]}
    if few:
        del together["worker-light"]
        commands = {
            "web": _site(host, port, processes=1, threads=8),
            "worker-default": [*_bulk_worker("light,default"), *clock],  # short tasks first
        }
    changed = _with_settings(commands, var_dir, host=host, port=port)
    return {name: changed.get(name, program) for name, program in together.items()}


def _site(host: str, port: int, *, processes: int, threads: int) -> list[str]:
    """Return the command of the site; its processes share what is loaded before they start."""
    return [
        *[sys.executable, "-m", "gunicorn", "questionbank.wsgi", "--preload", "--no-control-socket"],
        *["--config", "python:questionbank.site_process"],
        *["--worker-class", "questionbank.local.buffering.BufferingWorker"],
        *["--bind", f"{host}:{port}", "--workers", str(processes), "--threads", str(threads)],
    ]


def _worker(queues: str, name: str) -> list[str]:
    return [*_CELERY, "worker", "--loglevel", "INFO", "--queues", queues, "--hostname", f"{name}@%h"]


def _bulk_worker(queues: str) -> list[str]:
    """Return the command of a worker for long tasks.

    Bulk encoding leaves a process large, so one that has grown is replaced between two jobs.
    """
    largest = ["--max-memory-per-child", str(LARGEST_WORKER_KIB)]
    return [*_worker(queues, "default"), "--concurrency", "1", *largest]


def _schedule(var_dir: Path) -> Path:
    """Return the file where the scheduler records its last runs."""
    return var_dir / "celerybeat-schedule"


def _with_settings(commands: dict[str, list[str]], var_dir: Path, *, host: str, port: int) -> dict[str, Program]:
    environment = {"PORT": str(port)}  # the chosen port rather than the preferred one
    if os.environ.get("METRICS_PORT", "").strip() not in ("", "0"):
        environment["PROMETHEUS_MULTIPROC_DIR"] = str(metrics_folder(var_dir))
        commands = {**commands, "metrics": [sys.executable, "manage.py", "metrics", "--host", host]}
    if pooler := os.environ.get("DATABASE_POOLER_URL"):
        environment["DATABASE_URL"] = pooler
    return {
        name: Program(name, command, environment, _PROJECT, NICENESS.get(name, 0)) for name, command in commands.items()
    }
