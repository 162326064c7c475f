"""The faults of a round: each happens to a running instance, and nobody but Kindred mends what it did.

A fault that is impossible on this machine raises `Skipped` with the reason.
"""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from urllib.parse import urlencode

from tests.faults.instance import QUEUES, Instance, Skipped, wait_for
from tests.hostile import SKIPPED, VALUES, addresses

Fault = Callable[[Instance, random.Random], None]

SLOW_CLIENTS = 24  # three for each thread of the site
PARAMETERS = (
    "q", "page", "cursor", "hierarchy", "concept", "concepts", "status", "order", "language", "difficulty_min",
    "owner", "id", "state", "kind", "grade", "source", "seed", "long", "_selected_action",
)  # fmt: skip


def _process(instance: Instance, name: str) -> int | None:
    if name in ("postgres", "redis"):
        return instance.server(name)
    return instance.job_process() if name == "job" else instance.program(name)


def _send(name: str, which: signal.Signals) -> Fault:
    def fault(instance: Instance, chance: random.Random) -> None:
        pid = _process(instance, name)
        if pid is None:
            raise Skipped(f"there is no process of {name}")
        with suppress(ProcessLookupError):
            os.kill(pid, which)

    return fault


def kill(name: str) -> Fault:
    """kill -9 of a program, a server, or the process of a worker that does a job."""
    return _send(name, signal.SIGKILL)


def stall(name: str) -> Fault:
    """SIGSTOP of the same."""
    return _send(name, signal.SIGSTOP)


def restart_postgres(instance: Instance, chance: random.Random) -> None:
    """An orderly restart, up to three times."""
    for _restart in range(chance.randint(1, 3)):
        instance.restart_postgres()
        time.sleep(chance.uniform(0, 2))


def kill_supervisor(instance: Instance, chance: random.Random) -> None:
    """The whole installation but its servers ends at once, and is started again."""
    assert instance.supervisor is not None
    instance.supervisor.kill()
    instance.supervisor.wait()
    instance.start()


def kill_backup(instance: Instance, chance: random.Random) -> None:
    """A backup that is killed; the next one clears up."""
    folder = instance.folder / "backups"
    folder.mkdir(exist_ok=True)
    name = f"bank-{chance.randrange(10**9)}.tar"
    backup = instance.command("backup", str(folder / name))
    with suppress(subprocess.TimeoutExpired):
        backup.communicate(timeout=chance.uniform(1, 6))
    backup.kill()
    backup.communicate()


def full_disk(instance: Instance, chance: random.Random) -> None:
    """For some seconds the disk of files, database and logs has hardly a byte left."""
    disk = instance.disk()
    disk.shrink(spare=chance.choice([0, 1_000_000, 3_000_000]))
    try:
        time.sleep(chance.uniform(2, 8))
    finally:
        disk.grow()


def slow_clients(instance: Instance, chance: random.Random) -> None:
    """Clients who trickle headers or bodies for some seconds; the site answers others meanwhile."""
    head = f"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1:{instance.port}\r\n"
    body = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 5000\r\n\r\nlogin="
    with ExitStack() as stack:
        clients = []
        for number in range(SLOW_CLIENTS):
            with suppress(OSError):
                address = ("127.0.0.1", instance.port)
                client = stack.enter_context(socket.create_connection(address, timeout=2))
                client.sendall((head + (body if number % 2 else "")).encode())
                clients.append((client, b"x" if number % 2 else b"X-Slow: 1\r\n"))
        ends = time.monotonic() + chance.uniform(2, 6)
        is_answered = False
        while not is_answered or time.monotonic() < ends:
            for client, piece in clients:
                with suppress(OSError):
                    client.sendall(piece)
            is_answered = is_answered or instance.get("/questions/", timeout=5)[0] == 200
            if time.monotonic() > ends + 120:
                raise AssertionError(f"slow clients keep the site from answering\n{instance.log()}")
            time.sleep(0.2)


def hostile_parameters(instance: Instance, chance: random.Random) -> None:
    """Values that nobody types, sent to any address."""
    here = sorted({path for name, path in addresses() if name not in SKIPPED})
    broken = []
    for _request in range(20):
        path, name, value = chance.choice(here), chance.choice(PARAMETERS), chance.choice(VALUES)
        status, _headers = instance.get(f"{path}?{urlencode({name: value[:1500]})}")
        if status == 500:
            broken.append((path, name, value[:12]))
    if broken:
        raise AssertionError(f"pages that answered 500: {broken}\n{instance.log()}")


def wait_for_the_site(instance: Instance) -> None:
    """Wait until pages answer again."""
    wait_for(lambda: instance.get("/questions/")[0] == 200, "the site", instance.log)


_PROGRAMS = ("web", "beat", *(f"worker-{queue}" for queue in QUEUES))
FAULTS: Mapping[str, Fault] = {
    **{f"kill {name}": kill(name) for name in (*_PROGRAMS, "job", "postgres", "redis")},
    "full disk": full_disk,
    "hostile parameters": hostile_parameters,
    "restart postgres": restart_postgres,
    "slow clients": slow_clients,
    **{f"stall {name}": stall(name) for name in (*_PROGRAMS, "job", "postgres", "redis")},
    "kill backup": kill_backup,
    "kill supervisor": kill_supervisor,
}
