"""A gunicorn worker that waits for slow clients without tying up threads.

gunicorn manages the processes; in each, waitress reads requests in one event loop, passes a request to a thread once
it is complete, and sends responses from the same loop. Clients that trickle headers or bodies thus only cost a socket
each. Requests that take too long are closed, and a large body is refused after its headers unless they carry the
session of a logged-in user (decision 45 has the measurements). Unlike with plain waitress, a response to HEAD has no
body, and a request with two specifications of its length is refused (decision 76).
"""

from __future__ import annotations

import logging
import os
import time
from typing import Any

from gunicorn.workers.base import Worker
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import Error

HEADER_SECONDS = 20.0  # for a request's headers
BODY_SECONDS = 60.0  # for its body, extended for a large one:
BODY_RATE = 50_000  # minimum bytes per second from a client
SMALL_BODY = 4 * 1024 * 1024  # what a form without files may contain; anyone may send this much
LARGEST_BODY = 202 * 1024 * 1024  # an import's file including the form around it
LARGEST_HEADERS = 32 * 1024
MOST_CONNECTIONS = 1000  # per process
RETRY_SECONDS = 3  # Retry-After while the database is unavailable


class LogInFirst(Error):
    """A large body from a client that is not logged in."""

    code = 403
    reason = "Forbidden"


class DatabaseAway(Error):
    """A large body while the session cannot be checked."""

    code = 503
    reason = "Service Unavailable"

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        """Return the status, headers and body."""
        status, headers, body = super().to_response(ident)
        return status, [*headers, ("Retry-After", str(RETRY_SECONDS))], body


class BufferingParser(HTTPRequestParser):
    """Refuses a large body as soon as its headers arrive, unless they carry a session.

    Also refuses a body that two chained servers may consider to end at different places: one of them would take the
    rest for a new request (RFC 9112, 6.1 and 6.3).
    """

    is_admitted = False
    command = ""  # of a request that cannot be parsed

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the headers."""
        super().parse_header(header_plus)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
        if "TRANSFER_ENCODING" in self.headers:  # waitress removes it from HTTP/1.1 requests
            raise ParsingError("Transfer-Encoding is of HTTP/1.1 alone")

    def received(self, data: bytes) -> int:
        """Take the next bytes and return how many belong to this request."""
        consumed = int(super().received(data))
        if self.headers_finished and not self.completed and not self.is_admitted:
            is_large = self.chunked or self.content_length > SMALL_BODY
            if is_large and (refusal := _refusal(self.headers.get("COOKIE", ""))) is not None:
                self.error = refusal
                self.completed = True
            self.is_admitted = True
        return consumed


class _WithoutBodyOfHead(Task):
    """A response that states its body's length but omits the body if the request is HEAD."""

    def write(self, data: bytes) -> None:
        """Send the headers first, then a chunk of the body."""
        super().write(b"" if self.request.command == "HEAD" else data)

    def finish(self) -> None:
        """Send the end of the response."""
        if self.request.command == "HEAD":
            self.write(b"")
            self.chunked_response = False  # no final chunk either
        super().finish()


class BufferingTask(_WithoutBodyOfHead, WSGITask):
    """A response from Django."""

    def get_environment(self) -> dict[str, Any]:
        """Return the WSGI environment; for HEAD, files go through `write` like everything else."""
        environment: dict[str, Any] = super().get_environment()
        if self.request.command == "HEAD":
            environment.pop("wsgi.file_wrapper", None)
        return environment


class BufferingErrorTask(_WithoutBodyOfHead, ErrorTask):
    """A response from the server itself."""


class BufferingChannel(HTTPChannel):
    """A connection that records when its current request started to arrive."""

    parser_class = BufferingParser
    task_class = BufferingTask
    error_task_class = BufferingErrorTask
    request_since = 0.0

    def received(self, data: bytes) -> bool:
        """Take the next bytes."""
        if self.request is None:
            self.request_since = time.time()
        return bool(super().received(data))

    def is_overdue(self, now: float) -> bool:
        """Return whether the client exceeds the time limit for a request."""
        request = self.request
        if request is None or request.completed:
            return False
        limit = BODY_SECONDS + request.content_length / BODY_RATE if request.headers_finished else HEADER_SECONDS
        return now - self.request_since > limit


class BufferingServer(TcpWSGIServer):
    """Waitress's server on an already open socket, monitored by gunicorn."""

    channel_class = BufferingChannel

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        listener = worker.sockets[0].sock
        adjustments = Adjustments(
            sockets=[listener],
            threads=worker.cfg.threads,
            ident="",
            connection_limit=MOST_CONNECTIONS,
            channel_timeout=30,
            cleanup_interval=2,
            max_request_header_size=LARGEST_HEADERS,
            max_request_body_size=LARGEST_BODY,
            clear_untrusted_proxy_headers=False,  # ClientAddressMiddleware knows whom to trust
            asyncore_use_poll=True,
        )
        address = (listener.family, listener.type, listener.proto, listener.getsockname())
        super().__init__(worker.wsgi, adj=adjustments, _sock=listener, sockinfo=address, bind_socket=False)

    def readable(self) -> bool:
        """Send gunicorn a heartbeat in every iteration of the loop, at least once a second."""
        self.worker.notify()
        if not self.worker.alive or self.worker.ppid != os.getppid():
            raise SystemExit
        return bool(super().readable())

    def maintenance(self, now: float) -> None:
        """Close idle connections and those with overdue requests."""
        super().maintenance(now)
        for channel in self.active_channels.values():
            if channel.is_overdue(now):
                channel.will_close = True


class BufferingWorker(Worker):
    """One process of the site: ``gunicorn --worker-class questionbank.local.buffering.BufferingWorker``."""

    def run(self) -> None:
        """Serve until told to stop; running requests may finish."""
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        BufferingServer(self).run()


def _refusal(cookies: str) -> Error | None:
    """Return why a large body is refused; None if its cookies carry the session of a logged-in user."""
    from django.db import DatabaseError, close_old_connections, connection

    close_old_connections()  # as before each request: this thread holds a connection that a restart closes
    try:
        return None if _has_session(cookies) else LogInFirst("Log in before you send a file.")
    except DatabaseError:
        connection.close()
        return DatabaseAway("The database does not answer, so nothing was received. Try again in a minute.")


def _has_session(cookies: str) -> bool:
    """Return whether a request's cookies carry the session of a logged-in user.

    Raises:
        DatabaseError: the database is unavailable.
    """
    from django.conf import settings
    from django.contrib.auth import SESSION_KEY
    from django.http import parse_cookie
    from django.utils.module_loading import import_string

    key = parse_cookie(cookies).get(settings.SESSION_COOKIE_NAME)
    if not key or not key.isalnum():
        return False
    store: Any = import_string(f"{settings.SESSION_ENGINE}.SessionStore")(session_key=key)
    return SESSION_KEY in store
