"""Real servers in folders of their own, and processes that use them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from questionbank.core import locations
from questionbank.local import SERVICES, release
from questionbank.local.server import is_alive

BASE_DIR = Path(__file__).resolve().parents[3]
Popen = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def needs_root() -> None:
    """Skip a test that is about running as root."""
    if os.geteuid() != 0:
        pytest.skip("is about running as root")


@pytest.fixture(scope="module")
def open_folder() -> Iterator[Path]:
    """A folder with a short path that everybody may enter (pytest's own are closed); state goes there too."""
    folder = Path(tempfile.mkdtemp(prefix="kindred-", dir=_scratch()))
    folder.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(locations, "STATE_ROOT", folder)
        yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def var_dir(open_folder: Path) -> Iterator[Path]:
    """One VAR_DIR for the tests of a module."""
    yield open_folder / "var"
    _stop_all(open_folder / "var")


@pytest.fixture
def other_var_dir(open_folder: Path) -> Iterator[Callable[[str], Path]]:
    """Takes a name and returns a VAR_DIR of the test's own."""
    used = []

    def use(name: str) -> Path:
        used.append(open_folder / name)
        return used[-1]

    yield use
    for path in used:
        _stop_all(path)


@pytest.fixture
def connect() -> Callable[..., psycopg.Connection]:
    """Opens a connection to the PostgreSQL of a VAR_DIR."""

    def open_connection(var_dir: Path, **options: str) -> psycopg.Connection:
        location = locations.postgres_location(var_dir)
        where = {"host": str(location.socket_directory), "dbname": location.database, "user": location.user}
        return psycopg.connect(**{**where, **options}, autocommit=True)

    return open_connection


@pytest.fixture
def popen() -> Iterator[Popen]:
    """Like subprocess.Popen with pipes; what it starts is killed at the end, or after five minutes."""
    with ExitStack() as at_the_end:

        def start(command: list[str], **options: object) -> subprocess.Popen[str]:
            pipe = subprocess.PIPE
            process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options)
            watchdog = threading.Timer(300, process.kill)
            watchdog.start()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    at_the_end.callback(stream.close)
            at_the_end.callback(process.wait)
            at_the_end.callback(process.kill)
            at_the_end.callback(watchdog.cancel)
            return process

        yield start


@pytest.fixture
def run_python(open_folder: Path, popen: Popen) -> Callable[[str], subprocess.Popen[str]]:
    """Starts a Python process in which `ensure` and `locations` are imported.

    It is killed at the end, or after 120 s, so that a test that waits for its next line fails.
    """
    begin = (
        "import os, signal, subprocess, sys, time\nfrom pathlib import Path\nsignal.alarm(120)\n"
        "from questionbank.core import locations\nfrom questionbank.local import ensure\n"
        f"locations.STATE_ROOT = Path({str(open_folder)!r})\n"
    )

    return lambda code: popen([sys.executable, "-c", begin + code], cwd=BASE_DIR, stdin=subprocess.PIPE)


@pytest.fixture
def user_of(run_python: Callable[[str], subprocess.Popen[str]]) -> Callable[..., subprocess.Popen[str]]:
    """Starts a process that uses the servers of a VAR_DIR until it is stopped or its input is closed."""

    def start(var_dir: Path, then: str = "", *, wait: bool = True) -> subprocess.Popen[str]:
        process = run_python(f"ensure({str(var_dir)!r})\n{then}\nprint('ready', flush=True)\nsys.stdin.read()")
        if wait:
            assert process.stdout.readline() == "ready\n", process.communicate()[1]
        return process

    return start


@pytest.fixture
def within() -> Callable[..., bool]:
    """Waits until a condition holds; False where it does not in time."""

    def wait(condition: Callable[[], object], seconds: float = 30) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    return wait


@pytest.fixture
def kill(within: Callable[..., bool]) -> Callable[[int], None]:
    """Kills a process with kill -9 and waits until it has gone."""

    def kill_and_wait(pid: int) -> None:
        os.kill(pid, signal.SIGKILL)
        assert within(lambda: not is_alive(pid))

    return kill_and_wait


def _scratch() -> str:
    """Memory where there is enough of it and programs may be run from it: a busy disk takes thrice as long."""
    memory = "/dev/shm"
    if not os.path.isdir(memory) or os.statvfs(memory).f_flag & os.ST_NOEXEC:
        return "/tmp"
    return memory if shutil.disk_usage(memory).free > 2 * 1024**3 else "/tmp"


def _stop_all(var_dir: Path) -> None:
    release(var_dir)
    if var_dir.exists():
        for service in SERVICES.values():
            service.stop(var_dir)
