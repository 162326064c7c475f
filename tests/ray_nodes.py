"""Nodes of Ray on this machine, as processes of their own: `ray start` as people give it, and kill -9."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from questionbank.local.die_with_parent import dying_with_us


class RayNodes:
    """A head and the nodes that join it, each with one processor; use it as a context.

    Attributes:
        address: of the head.
        environment: of those who want to join; it holds the token.
    """

    def __init__(self, processors: int = 1) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.environment = {
            **os.environ,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_worker_niceness": "0",  # else they wait for everything else that the machine does
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": secrets.token_hex(32),
        }
        self._processors = processors
        self._folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # sockets have short names
        self._processes: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        port = self.address.rpartition(":")[2]
        self._start("--head", f"--port={port}", "--include-dashboard=false", f"--temp-dir={self._folder}")
        return self

    def add(self) -> None:
        """Start another node, which joins the head."""
        self._start(f"--address={self.address}")

    def _start(self, *options: str) -> None:
        size = 80 * 1024**2
        fixed = [f"--num-cpus={self._processors}", f"--object-store-memory={size}", "--disable-usage-stats", "--block"]
        start = [sys.executable, "-m", "ray.scripts.scripts", "start"]
        command = dying_with_us([*start, *options, *fixed, "--node-ip-address=127.0.0.1"])
        log = self._folder / f"node-{len(self._processes)}.log"
        with log.open("wb") as stream:
            process = subprocess.Popen(
                command, env=self.environment, stdout=stream, stderr=stream, start_new_session=True
            )
        self._processes.append(process)
        host, _colon, port = self.address.rpartition(":")
        until = time.monotonic() + 60
        while True:
            try:
                socket.create_connection((host, int(port)), 1).close()
                return
            except OSError:
                if process.poll() is not None or time.monotonic() > until:
                    raise RuntimeError(log.read_text()) from None
                time.sleep(0.1)

    def kill_last(self) -> None:
        """Kill everything of the node that was started last, as if its machine had lost power."""
        process = self._processes.pop()
        _kill_session(process.pid)
        process.wait()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._processes:
            self.kill_last()
        shutil.rmtree(self._folder, ignore_errors=True)


def _kill_session(session: int) -> None:
    """Kill all processes of a session, until none is left."""
    while members := _members(session):
        for member in members:
            with suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        time.sleep(0.05)


def _members(session: int) -> list[int]:
    members = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            members.append(int(path.parent.name))
    return members
