"""A real PgBouncer in transaction mode in front of the tests' PostgreSQL."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CONFIGURATION = """\
[databases]
* = host={server} user=kindred

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_round_robin = 1
default_pool_size = 10
max_client_conn = 100
logfile = {folder}/pgbouncer.log
pidfile = {folder}/pgbouncer.pid
"""


USER = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name  # it refuses to run as root


def admit(home: Path) -> None:
    """Let its user connect as the bank's role; PostgreSQL must read its configuration again after that."""
    identities = home / "pg_ident.conf"
    line = f"kindred {USER} kindred\n"
    if line not in identities.read_text():
        identities.write_text(identities.read_text() + line)


def pgbouncer() -> str | None:
    """Return the path of the program, or None where it is not installed."""
    return shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")


@contextmanager
def running_pooler(folder: Path, server: str) -> Iterator[int]:
    """Run it in front of the server at a socket's folder; yield the port on this machine.

    Statements go round over its connections, so that whatever a session keeps is soon missing.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configuration = folder / "pgbouncer.ini"
    configuration.write_text(CONFIGURATION.format(server=server, port=port, folder=folder))
    shutil.chown(folder, USER)
    program = pgbouncer()
    assert program
    user = USER if os.geteuid() == 0 else None
    process = subprocess.Popen([program, "-q", str(configuration)], user=user, stderr=subprocess.DEVNULL)
    try:
        for _attempt in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.02)
        yield port
    finally:
        process.kill()
        process.wait()
