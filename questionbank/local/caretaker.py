"""What `manage.py serve` monitors besides its programs: the servers, their logs, and whether the site responds."""

import http.client
import subprocess
import time
from collections.abc import Callable, Collection
from pathlib import Path

from questionbank.core.errors import EmbeddedError
from questionbank.local.logs import rotate_in_place
from questionbank.local.ownership import SERVICES, ensure

_LOOK_SECONDS = 20.0  # between checks for stopped servers and of log sizes


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
                self._echo(f"{service} has ended and starts again")
                try:
                    ensure(self._var_dir, [service])
                except (EmbeddedError, OSError, subprocess.SubprocessError) as error:  # the next call retries
                    self._echo(str(error))
        if time.monotonic() - self._looked_at >= _LOOK_SECONDS:
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
