"""What `manage.py serve` looks after beside its programs: the servers, their logs, and whether the site answers."""

import http.client
import subprocess
import time
from collections.abc import Callable, Collection
from pathlib import Path

from questionbank.local.errors import EmbeddedError
from questionbank.local.logs import rotate_in_place
from questionbank.local.ownership import SERVICES, ensure

_LOOK_SECONDS = 20.0  # between looks at whether a server is stopped and at the size of its log


class Caretaker:
    """Called now and then by the supervisor.

    Args:
        var_dir: Where the servers live.
        services: Those that we keep running.
        page_answers: Tells whether the site is up.
        on_answer: Called once, when it is.
        echo: Gets a line about each server that had to be started again.
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
        """Start the servers that have ended, and report the site's first answer."""
        for service in self._services:
            if SERVICES[service].status(self._var_dir) is None:
                self._echo(f"{service} has ended and starts again")
                try:
                    ensure(self._var_dir, [service])
                except (
                    EmbeddedError,
                    OSError,
                    subprocess.SubprocessError,
                ) as error:  # the next call tries again
                    self._echo(str(error))
        if time.monotonic() - self._looked_at >= _LOOK_SECONDS:
            self._looked_at = time.monotonic()
            for service in self._services:
                rotate_in_place(self._var_dir / "logs" / f"{service}.log")
                if SERVICES[service].wake(self._var_dir):
                    self._echo(f"{service} was stopped and goes on")
        if not self._answered and self._page_answers():
            self._answered = True
            self._on_answer()


def page_answers(port: int, *, host_name: str = "127.0.0.1", path: str = "/", timeout: float = 2.0) -> bool:
    """Tell whether the site on this machine answers a request, were it with a redirect to the log-in page."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request("GET", path, headers={"Host": host_name})
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
