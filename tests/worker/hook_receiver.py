"""A program that web hooks are sent to: it keeps what it gets and answers as it is told."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """What a receiver got, and how it answers.

    Attributes:
        status: of its responses.
        headers: of its responses.
        body: pieces of its responses; sending goes on until the client hangs up.
        on_request: called before each response.
    """

    port: int = 0
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: tuple[bytes, ...] = ()
    on_request: Callable[[], object] = lambda: None
    sent: int = 0

    @property
    def ids(self) -> list[str]:
        """The `webhook-id` of each request."""
        return [headers["webhook-id"] for _path, headers, _body in self.requests]


@contextmanager
def receiving(*, context: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> Iterator[Receiver]:
    """Run a receiver on a port of its own, with TLS if a context is given."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            receiver.requests.append((self.path, headers, body))
            receiver.on_request()
            try:
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in receiver.body:
                    self.wfile.write(piece)
                    receiver.sent += len(piece)
            except OSError:  # the client has hung up
                self.close_connection = True

        def log_message(self, *_arguments: object) -> None:
            pass

    with ThreadingHTTPServer((host, 0), Handler) as server:
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # a client that refuses our certificate
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        receiver.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()


def wait_until(is_so: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until something is so, or fail."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.02)
