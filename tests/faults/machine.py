"""Another machine that joins an instance: its own processes, a wrong clock, connections that fall silent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from questionbank.core.locations import POSTGRES_PORT, postgres_location
from questionbank.local.die_with_parent import dying_with_us
from tests.faults.instance import BASE_DIR, Instance, Skipped, children_of
from tests.faults.proxy import Proxy

_LIBRARIES = ("/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/local/lib/faketime/libfaketimeMT.so.1")


def wrong_clock(minutes: int) -> dict[str, str]:
    """Return the environment of processes whose clock is wrong.

    Raises:
        Skipped: libfaketime is not installed.
    """
    found = [path for pattern in _LIBRARIES for path in Path("/").glob(pattern[1:])]
    if not found:
        raise Skipped("libfaketime is not installed")
    return {"LD_PRELOAD": str(found[0]), "FAKETIME": f"{60 * minutes:+d}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


@contextmanager
def second_machine(instance: Instance, environment: Mapping[str, str] | None = None) -> Iterator[Proxy]:
    """A worker and a clock on the instance's servers, PostgreSQL through a proxy; they are killed at the end."""
    location = postgres_location(instance.var_dir)
    proxy = Proxy(location.socket_directory / f".s.PGSQL.{POSTGRES_PORT}")
    address = f"postgres://{location.user}@127.0.0.1:{proxy.port}/{location.database}"
    celery = [sys.executable, "-m", "celery", "--app", "worker.celery", "--quiet"]
    programs = {
        "worker": ["worker", "--queues", "default", "--hostname", "second@%h", "--concurrency", "1"],
        "beat": ["beat", "--schedule", str(instance.folder / "second-schedule")],
    }
    started = []
    try:
        for name, words in programs.items():
            with (instance.folder / f"second-{name}.log").open("ab") as log:
                started.append(
                    subprocess.Popen(
                        dying_with_us([*celery, *words]),
                        cwd=BASE_DIR,
                        env={**instance.environment, "DATABASE_URL": address, **(environment or {})},
                        stdout=log,
                        stderr=log,
                    )
                )
        yield proxy
    finally:
        for process in started:
            for pid in (process.pid, *children_of(process.pid)):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            process.wait()
        proxy.close()
