"""One supervised program: started again and again, its output copied to its log."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from questionbank.local.die_with_parent import dying_with_us
from questionbank.local.logs import Log

_SHORT_LINE = 160
_ROUTINE = re.compile(rb"\[(info|debug)\s*\]", re.IGNORECASE)  # as gunicorn and structlog mark their lines


@dataclass(frozen=True)
class Program:
    """A command to keep running."""

    name: str
    command: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)  # beside our own
    directory: Path | None = None
    niceness: int = 0  # more gives way to other programs


class RunningChild:
    """A running program: a process group of its own, that dies with us and writes to a log.

    Args:
        program: What to run.
        log_path: Its output goes there, whole.
        echo: Gets each line that is not marked as routine, shortened, after the program's name.
    """

    def __init__(self, program: Program, log_path: Path, echo: Callable[[str], None]) -> None:
        self.program = program
        self.started = time.monotonic()
        self._log = Log(log_path)
        self._echo = echo
        self._unfinished = b""  # the beginning of a line whose end is not there yet
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
        """Tell without reaping: until then the process keeps its number, and so its group."""
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def ask_to_end(self) -> None:
        """Ask the program itself; it knows best how to end its own children."""
        self._process.send_signal(signal.SIGTERM)

    def kill(self) -> int:
        """Kill whatever of the group still runs, keep its last output, and return the exit code."""
        with suppress(ProcessLookupError, PermissionError):  # all of it has ended
            os.killpg(self._process.pid, signal.SIGKILL)
        code = self._process.wait()
        self.copy_output()
        self._write(self._unfinished)
        self.output.close()
        self._log.close()
        return code

    def wake(self, stopped_by_session: Mapping[int, Sequence[int]], *, after_seconds: float) -> bool:
        """Continue processes of the program that have been stopped (SIGSTOP) for so long; True where some were."""
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
        """Copy what is there to read; False at the end of the output."""
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
