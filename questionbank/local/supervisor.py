"""Supervises the processes of `manage.py serve`: logs, restarts with back-off, orderly shutdown, and the servers.

A single thread with one loop. Each child has its own process group, so that the terminal's Ctrl-C only reaches the
supervisor, which then asks each child to exit, and so that leftovers of a crashed child can be removed.
"""

import http.client
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from questionbank.core.errors import EmbeddedError
from questionbank.local.ownership import SERVICES, ensure
from questionbank.local.programs import Program, RunningChild, rotate_in_place
from questionbank.local.server import stopped_processes

_TICK_SECONDS = 0.2
_STEADY_SECONDS = 60.0  # after running this long, a program is restarted with the first delay again
_STOPPED_SECONDS = 20.0  # a program stopped (SIGSTOP) for this long is continued
_LOOK_SECONDS = 5.0
_MOST_DOUBLINGS = 30  # of the delay; after a night of failures it would reach 2 ** 1024, which overflows a float
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Supervisor:
    """Keeps programs running until it receives SIGINT, SIGTERM or SIGHUP.

    Args:
        programs: What to run.
        log_directory: Contains each program's output as `<name>.log`.
        echo: Receives the lines for the terminal.
        watch: Called every `watch_seconds` for other monitoring.
        held: Names of programs that only start when `start_held` is called.
        grace_seconds: Time between asking a program to exit and killing it. A second signal ends the wait.
        first_delay: Delay before the first restart; doubles with each further one up to `longest_delay`.
    """

    def __init__(
        self,
        programs: Sequence[Program],
        log_directory: Path,
        *,
        echo: Callable[[str], None],
        watch: Callable[[], None] | None = None,
        watch_seconds: float = 2.0,
        held: Collection[str] = (),
        grace_seconds: float = 10.0,
        first_delay: float = 1.0,
        longest_delay: float = 30.0,
    ) -> None:
        self._log_directory = log_directory
        self._echo = echo
        self._watch = watch
        self._watch_seconds = watch_seconds
        self._grace_seconds = grace_seconds
        self._first_delay = first_delay
        self._longest_delay = longest_delay
        self._running: list[RunningChild] = []
        self._programs = {program.name: program for program in programs}
        self._held = [name for name in self._programs if name in held]
        self._due = {
            name: 0.0 for name in self._programs if name not in held
        }  # when to start programs that are not running
        self._failures = dict.fromkeys(self._programs, 0)
        self._stop_signals = 0
        self._selector = selectors.DefaultSelector()

    def run(self) -> None:
        """Run until told to stop; all programs and their children have exited when this returns."""
        with self._signals_noted():
            watch_at = time.monotonic() + self._watch_seconds
            look_at = time.monotonic() + _LOOK_SECONDS
            try:
                while not self._stop_signals:
                    self._start_due()
                    for child in [child for child in self._running if child.has_exited()]:
                        self._restart_later(child)
                    if self._watch is not None and time.monotonic() >= watch_at:
                        self._watch()
                        watch_at = time.monotonic() + self._watch_seconds
                    if time.monotonic() >= look_at:
                        self._wake_stopped()
                        look_at = time.monotonic() + _LOOK_SECONDS
                    self._copy_output(_TICK_SECONDS)
            finally:
                self._stop_all()
                self._selector.close()

    def start_held(self) -> None:
        """Start the programs that were held back; idempotent."""
        self._due |= dict.fromkeys(self._held, 0.0)
        self._held = []

    def stop(self) -> None:
        """Make `run` return, as a signal does."""
        self._stop_signals += 1

    def _start_due(self) -> None:
        for name in [name for name, when in self._due.items() if time.monotonic() >= when]:
            del self._due[name]
            try:
                child = RunningChild(self._programs[name], self._log_directory / f"{name}.log", self._echo)
            except OSError as error:  # out of memory or too many processes, which may pass
                self._echo(f"{name} cannot be started: {error.strerror or error}")
                self._due[name] = time.monotonic() + self._delay(name)
                continue
            self._running.append(child)
            self._selector.register(child.output, selectors.EVENT_READ, child)

    def _restart_later(self, child: RunningChild) -> None:
        name = child.program.name
        if time.monotonic() - child.started > _STEADY_SECONDS:
            self._failures[name] = 0
        delay = self._delay(name)
        code = self._remove(child)
        how = f"exit code {code}" if code >= 0 else signal.Signals(-code).name
        log = self._log_directory / f"{name}.log"
        self._echo(f"{name} exited ({how}) and will start again in {delay:g} s; see {log}")
        self._due[name] = time.monotonic() + delay

    def _delay(self, name: str) -> float:
        """Return the seconds to wait after one more failure."""
        doublings = min(self._failures[name], _MOST_DOUBLINGS)
        self._failures[name] += 1
        return min(self._first_delay * 2**doublings, self._longest_delay)

    def _wake_stopped(self) -> None:
        stopped = stopped_processes()
        for child in self._running:
            if child.wake(stopped, after_seconds=_STOPPED_SECONDS):
                self._echo(f"{child.program.name} was stopped and has been resumed")

    def _remove(self, child: RunningChild) -> int:
        if child.output in self._selector.get_map():
            self._selector.unregister(child.output)
        self._running.remove(child)
        return child.kill()

    def _copy_output(self, timeout: float) -> None:
        for key, _ in self._selector.select(timeout):
            if not key.data.copy_output():  # the program closed its output, but may still run
                self._selector.unregister(key.fileobj)

    def _stop_all(self) -> None:
        for child in self._running:
            child.ask_to_end()
        signals = self._stop_signals
        deadline = time.monotonic() + self._grace_seconds
        while self._running:
            late = time.monotonic() > deadline or self._stop_signals > signals
            for child in [child for child in self._running if late or child.has_exited()]:
                self._remove(child)
            self._copy_output(_TICK_SECONDS / 4)

    @contextmanager
    def _signals_noted(self) -> Iterator[None]:
        hangs_up = signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN  # otherwise it runs under nohup
        noted = [number for number in _SIGNALS if hangs_up or number != signal.SIGHUP]
        previous = {number: signal.signal(number, self._note_signal) for number in noted}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _note_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.stop()


_CHECK_SECONDS = 20.0  # between checks for stopped servers and of log sizes


class Caretaker:
    """Called periodically by the supervisor.

    Args:
        var_dir: Location of the servers.
        services: The servers to keep running.
        page_answers: Returns whether the site is up.
        on_answer: Called once when the site is up.
        echo: Receives a line about each server that was restarted.
    """

    def __init__(
        self,
        var_dir: Path,
        services: Collection[str],
        *,
        page_answers: Callable[[], bool],
        on_answer: Callable[[], None],
        echo: Callable[[str], None],
    ) -> None:
        self._var_dir = var_dir
        self._services = services
        self._page_answers = page_answers
        self._on_answer = on_answer
        self._echo = echo
        self._answered = False
        self._looked_at = time.monotonic()

    def __call__(self) -> None:
        """Restart servers that have exited, and report the site's first response."""
        for service in self._services:
            if SERVICES[service].status(self._var_dir) is None:
                self._echo(f"{service} has exited and is being restarted")
                try:
                    ensure(self._var_dir, [service])
                except (EmbeddedError, OSError, subprocess.SubprocessError) as error:  # the next call retries
                    self._echo(str(error))
        if time.monotonic() - self._looked_at >= _CHECK_SECONDS:
            self._looked_at = time.monotonic()
            for service in self._services:
                rotate_in_place(self._var_dir / "logs" / f"{service}.log")
                if SERVICES[service].wake(self._var_dir):
                    self._echo(f"{service} was stopped and has been resumed")
        if not self._answered and self._page_answers():
            self._answered = True
            self._on_answer()


def page_answers(port: int, *, host_name: str = "127.0.0.1", path: str = "/", timeout: float = 2.0) -> bool:
    """Return whether the site on this machine responds to a request, even with a redirect to the login page."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path, headers={"Host": host_name})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
