"""A proxy before PostgreSQL's socket that can fall silent: connections stay open, and nothing answers."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from pathlib import Path


class Proxy:
    """Forwards connections of a TCP port to a unix socket until it is closed.

    Args:
        target: the socket of the server.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._silent: set[int] = set()  # numbers of connections
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._accepted = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def fall_silent(self) -> None:
        """Forward nothing more on the connections that are open now, for ever; new ones work."""
        self._silent.update(range(self._accepted))

    def close(self) -> None:
        """End every connection."""
        for stream in [self._listener, *self._open]:
            with suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
            stream.close()

    def _accept(self) -> None:
        with suppress(OSError):  # it is closed
            while True:
                client, _address = self._listener.accept()
                number, self._accepted = self._accepted, self._accepted + 1
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(str(self._target))
                except OSError:  # as a server that is away
                    client.close()
                    continue
                self._open += [client, server]
                for source, sink in ((client, server), (server, client)):
                    threading.Thread(target=self._forward, args=(number, source, sink), daemon=True).start()

    def _forward(self, number: int, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65536):
                if number in self._silent:
                    return
                sink.sendall(piece)
            if number not in self._silent:
                sink.shutdown(socket.SHUT_WR)
