"""A mail server for tests: it keeps what it takes and refuses what it is told to refuse."""

from __future__ import annotations

import email
import email.policy
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage


class MailServer(socketserver.ThreadingTCPServer):
    """Speaks as much SMTP as Python's client does.

    Attributes:
        inbox: what it took.
        replies: what it answers to a command (``RCPT``, ``DATA``, ...) instead of taking it.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.inbox: list[EmailMessage] = []
        self.replies: dict[str, str] = {}


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self._say("220 ready")
        while line := self.rfile.readline():
            word = line.decode().split(maxsplit=1)[0].strip().upper()
            if word == "QUIT":
                self._say("221 bye")
                return
            if word in self.server.replies:
                self._say(self.server.replies[word])
            elif word == "DATA":
                self._say("354 go on")
                lines = list(iter(self.rfile.readline, b".\r\n"))
                self.server.inbox.append(email.message_from_bytes(b"".join(lines), policy=email.policy.default))
                self._say("250 taken")
            else:
                self._say("250 OK")

    def _say(self, reply: str) -> None:
        self.wfile.write(f"{reply}\r\n".encode())


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Run one on a port of its own."""
    with MailServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
