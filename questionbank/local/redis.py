"""The embedded Redis: an append-only file, a Unix socket in a folder of its own, no TCP port."""

import signal
import socket
from pathlib import Path

from questionbank.core.file_lock import exclusive
from questionbank.core.locations import RedisLocation, redis_binary, redis_location
from questionbank.local.server import Server, folder_for


def start(var_dir: Path) -> int:
    """Start the server of this VAR_DIR if it is not running, and return its process id.

    Raises:
        EmbeddedError: It cannot be started; the message says why.
    """
    location = redis_location(var_dir)
    with exclusive(var_dir / "redis.start.lock"):
        server = _server(var_dir, location, str(redis_binary()))
        server.end_lost()
        folder_for(location.directory, 0o700)
        folder_for(location.socket_path.parent, 0o700)
        return server.start()


def stop(var_dir: Path) -> None:
    """Stop the server of this VAR_DIR if it is running; it saves first."""
    with exclusive(var_dir / "redis.start.lock"):
        _server(var_dir, redis_location(var_dir)).stop()


def status(var_dir: Path) -> int | None:
    """Return the server's process id, or None if it is not running."""
    return _server(var_dir, redis_location(var_dir)).pid()


def wake(var_dir: Path) -> bool:
    """Continue the server if it is stopped (SIGSTOP); return whether it was."""
    return _server(var_dir, redis_location(var_dir)).wake()


def _server(var_dir: Path, location: RedisLocation, binary: str = "redis-server") -> Server:
    options = {
        "--port": "0",
        "--unixsocket": str(location.socket_path),
        "--unixsocketperm": "700",
        "--appendonly": "yes",
        "--save": "",  # the append-only file is the only copy
        "--maxmemory-policy": "noeviction",  # it holds a queue: better to refuse writes than to lose data
        "--set-proc-title": "no",  # we find it by its command line
    }
    return Server(
        label="Redis",
        command=(binary, "--dir", str(location.directory), *(part for pair in options.items() for part in pair)),
        log=var_dir / "logs" / "redis.log",
        marker=location.socket_path,
        is_ready=lambda _pid: _answers(location.socket_path),
        stop_signal=signal.SIGTERM,
    )


def _answers(socket_path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1)
        try:
            connection.connect(str(socket_path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")  # while loading its file it replies -LOADING
        except OSError:
            return False
