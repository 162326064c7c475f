"""One supervised program: restarted whenever it exits, with its output copied to its log."""

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
