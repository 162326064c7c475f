"""A worker for gunicorn that waits for slow clients without spending a thread on them.

gunicorn keeps the processes; in each, waitress reads requests in one loop and hands a request to a thread
once it has all of it, and sends answers by the same loop. So clients that trickle headers or bodies cost a
socket each. What takes too long is closed, and a large body is refused after its headers unless they carry
the session of somebody who is logged in (decision 45 has the measurements). Beyond waitress, an answer to HEAD has no
body, and a request whose length is said twice is refused (decision 76).
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
BODY_SECONDS = 60.0  # for its body, and longer for a large one:
BODY_RATE = 50_000  # bytes a second that a client must at least send
SMALL_BODY = 4 * 1024 * 1024  # what a form without files may hold; anybody may send so much
LARGEST_BODY = 202 * 1024 * 1024  # an import's file with the form around it
LARGEST_HEADERS = 32 * 1024
MOST_CONNECTIONS = 1000  # a process
RETRY_SECONDS = 3  # after which a client may try again where the database was away


class LogInFirst(Error):
    """A large body from somebody who is not logged in."""

    code = 403
    reason = "Forbidden"


class DatabaseAway(Error):
    """A large body while nobody can tell who sends it."""

    code = 503
    reason = "Service Unavailable"

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        """Return status, headers and body."""
        status, headers, body = super().to_response(ident)
        return status, [*headers, ("Retry-After", str(RETRY_SECONDS))], body


class BufferingParser(HTTPRequestParser):
    """Refuses a large body as soon as its headers are there, unless they carry a session.

    And a body of which servers in a row may think that it ends in different places: what follows would be a request
    to the one and not to the other (RFC 9112, 6.1 and 6.3).
    """

    is_admitted = False
    command = ""  # of a request that cannot be read

    def parse_header(self, header_plus: bytes) -> None:
        """Read the headers."""
        super().parse_header(header_plus)
        if self.chunked and "CONTENT_LENGTH" in self.headers:
            raise ParsingError("Content-Length and Transfer-Encoding exclude each other")
        if "TRANSFER_ENCODING" in self.headers:  # waitress takes it out of requests of HTTP/1.1
            raise ParsingError("Transfer-Encoding is of HTTP/1.1 alone")

    def received(self, data: bytes) -> int:
        """Take the next bytes and return how many were of this request."""
        consumed = int(super().received(data))
        if self.headers_finished and not self.completed and not self.is_admitted:
            is_large = self.chunked or self.content_length > SMALL_BODY
            if is_large and (refusal := _refusal(self.headers.get("COOKIE", ""))) is not None:
                self.error = refusal
                self.completed = True
            self.is_admitted = True
        return consumed


class _WithoutBodyOfHead(Task):
    """An answer that says of a body how long it is, and leaves it out where the request is HEAD."""

    def write(self, data: bytes) -> None:
        """Send the headers first, then a part of the body."""
        super().write(b"" if self.request.command == "HEAD" else data)

    def finish(self) -> None:
        """Send what ends an answer."""
        if self.request.command == "HEAD":
            self.write(b"")
            self.chunked_response = False  # no last chunk either
        super().finish()


class BufferingTask(_WithoutBodyOfHead, WSGITask):
    """What Django answers."""

    def get_environment(self) -> dict[str, Any]:
        """Return WSGI's environment; a file for HEAD goes through `write` like everything else."""
        environment: dict[str, Any] = super().get_environment()
        if self.request.command == "HEAD":
            environment.pop("wsgi.file_wrapper", None)
        return environment


class BufferingErrorTask(_WithoutBodyOfHead, ErrorTask):
    """What the server answers by itself."""


class BufferingChannel(HTTPChannel):
    """A connection that knows since when its present request is being received."""

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
        """Return whether the client takes longer for a request than it may."""
        request = self.request
        if request is None or request.completed:
            return False
        limit = (
            BODY_SECONDS + request.content_length / BODY_RATE if request.headers_finished else HEADER_SECONDS
        )
        return now - self.request_since > limit


class BufferingServer(TcpWSGIServer):
    """Waitress's server on a socket that is open already, under gunicorn's watch."""

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
        """Tell gunicorn at every turn of the loop, at least once a second, that the loop turns."""
        self.worker.notify()
        if not self.worker.alive or self.worker.ppid != os.getppid():
            raise SystemExit
        return bool(super().readable())

    def maintenance(self, now: float) -> None:
        """Close idle connections and those whose request takes too long."""
        super().maintenance(now)
        for channel in self.active_channels.values():
            if channel.is_overdue(now):
                channel.will_close = True


class BufferingWorker(Worker):
    """One process of the site: ``gunicorn --worker-class questionbank.local.buffering.BufferingWorker``."""

    def run(self) -> None:
        """Serve until told to stop; requests that run may finish."""
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        BufferingServer(self).run()


def _refusal(cookies: str) -> Error | None:
    """Return why a large body is refused; None where its cookies name the session of somebody who is logged in."""
    from django.db import DatabaseError, close_old_connections, connection

    close_old_connections()  # as before each request: this thread keeps a connection, which a restart ends
    try:
        return None if _has_session(cookies) else LogInFirst("Log in before you send a file.")
    except DatabaseError:
        connection.close()
        return DatabaseAway("The database does not answer, so nothing was received. Try again in a minute.")


def _has_session(cookies: str) -> bool:
    """Return whether a request's cookies name the session of somebody who is logged in.

    Raises:
        DatabaseError: the database is away.
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
