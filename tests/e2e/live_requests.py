"""Waits for the requests of a browser that has gone.

A closed page leaves its last requests (a heartbeat, a beacon) running in the live server. If the test database is
emptied meanwhile, `TRUNCATE` and such a request can wait for each other's locks, and PostgreSQL ends one of them.
"""

from __future__ import annotations

import socket
import threading
import time
from urllib.parse import urlsplit

import pytest

_SECONDS = 30.0


def wait_for_requests(url: str, *, seconds: float = _SECONDS) -> None:
    """Return when no thread of the live server at `url` handles a request any more.

    Raises:
        pytest.fail.Exception: A request still runs after so many `seconds`.
    """
    _let_accept(url)
    deadline = time.monotonic() + seconds
    while running := _request_threads():
        if time.monotonic() > deadline:
            pytest.fail(f"requests still run in the live server {seconds:g} s after the browser closed: {running}")
        time.sleep(0.01)


def _let_accept(url: str) -> None:
    """Return when the server has a thread for every connection that was opened before this call.

    It accepts connections in turn, so it is enough that it hangs up on an empty request.
    """
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=_SECONDS) as connection:
        connection.sendall(b"\r\n")
        connection.recv(1)


def _request_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if "process_request_thread" in thread.name]
