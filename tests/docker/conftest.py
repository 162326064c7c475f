"""The compose file, and servers outside the embedded ones, set up as the containers set theirs up."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
import yaml

from questionbank.core.locations import postgres_location, redis_binary, unprivileged_user
from questionbank.local import postgres
from questionbank.local.server import run_as

DOCKER = Path(__file__).resolve().parents[2] / "docker"
PASSWORD = "it's a password"  # with a quote and a blank, for initdb.sh


@pytest.fixture(scope="session")
def compose() -> dict:
    """compose.yaml."""
    return yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))


def unused_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.1)


@dataclass(frozen=True)
class Containers:
    """Runs what a container would run, with the environment that compose.yaml gives it."""

    environment: dict[str, str]
    var: Path
    port: int

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """entrypoint.sh with these arguments, its output in a log."""
        with (self.var.parent / f"{arguments[0]}.log").open("ab") as log:
            return subprocess.Popen(
                [DOCKER / "entrypoint.sh", *arguments],
                env=self.environment,
                cwd="/",
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """entrypoint.sh until it ends."""
        command = [DOCKER / "entrypoint.sh", *arguments]
        return subprocess.run(command, env=self.environment, cwd="/", capture_output=True, text=True, check=False)

    def probe(self, role: str) -> subprocess.CompletedProcess[str]:
        """The health check of a role."""
        command = [sys.executable, DOCKER / "probe.py", role]
        return subprocess.run(command, env=self.environment, cwd="/", capture_output=True, text=True, check=False)

    def log(self, name: str) -> str:
        """What a started role said."""
        return (self.var.parent / f"{name}.log").read_text(errors="replace")


@pytest.fixture(scope="package")
def database_address(compose) -> Iterator[str]:
    """A PostgreSQL server on TCP with passwords, made by initdb.sh and with compose's own options."""
    service = compose["services"]["database"]
    user = unprivileged_user()
    home = Path(tempfile.mkdtemp(prefix="kindred-docker-"))
    if user is not None:
        shutil.chown(home, user.pw_uid, user.pw_gid)
    binaries = postgres._runnable_binaries(postgres_location(home), user)
    port = unused_port()
    initdb_arguments = shlex.split(service["environment"]["POSTGRES_INITDB_ARGS"])
    run_as(
        user,
        [
            str(binaries / "initdb"),
            f"--pgdata={home / 'data'}",
            "--username=postgres",
            "--auth-local=trust",
            "--auth-host=scram-sha-256",
            *initdb_arguments,
        ],
    )
    program, *options = service["command"]
    server = subprocess.Popen(
        [
            binaries / program,
            "-D",
            home / "data",
            *options,
            "--shared_buffers=32MB",
            f"--port={port}",
            "--listen_addresses=127.0.0.1",
            f"--unix_socket_directories={home}",
            "--fsync=off",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=None if user is None else user.pw_uid,
        group=None if user is None else user.pw_gid,
        extra_groups=None if user is None else [],
    )

    def answers() -> bool:
        try:
            psycopg.connect(host=str(home), port=port, user="postgres", dbname="postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    try:
        wait_until(answers, "PostgreSQL")
        where = {"PGHOST": str(home), "PGPORT": str(port), "DATABASE_PASSWORD": PASSWORD}
        path = f"{binaries}{os.pathsep}{os.environ['PATH']}"
        subprocess.run([DOCKER / "initdb.sh"], env={**where, "PATH": path}, check=True, capture_output=True)
        yield f"127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=30)
        shutil.rmtree(home)


@pytest.fixture(scope="package")
def redis_address(compose, tmp_path_factory) -> Iterator[str]:
    """Redis on TCP with a password, started by compose's own command."""
    shell, flag, script = compose["services"]["redis"]["command"]
    folder, port = tmp_path_factory.mktemp("redis"), unused_port()
    script = script.replace("$$", "$") + f" --port {port} --bind 127.0.0.1 --dir {folder}"
    path = f"{redis_binary().parent}{os.pathsep}{os.environ['PATH']}"
    server = subprocess.Popen(
        [shell, flag, script], env={"PATH": path, "REDISCLI_AUTH": "secret"}, stdout=subprocess.DEVNULL
    )
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.fixture(scope="package")
def containers(compose, database_address, redis_address, tmp_path_factory) -> Containers:
    """The roles, prepared as the service `prepare` prepares them."""
    var, port = tmp_path_factory.mktemp("containers") / "var", unused_port()
    var.mkdir()
    environment = {
        **dict.fromkeys(compose["x-kindred"]["environment"], ""),
        "DATABASE_URL": f"postgres://kindred:it%27s%20a%20password@{database_address}/kindred",
        "REDIS_URL": f"redis://:secret@{redis_address}/0",
        "SECRET_KEY": "containers-" + "k" * 60,
        "ALLOWED_HOSTS": "kindred.test,www.kindred.test",
        "CSRF_TRUSTED_ORIGINS": "https://kindred.test",
        "EMAIL_URL": "consolemail://",
        "TRUSTED_PROXIES": "1",
        "LOG_LEVEL": "INFO",
        "PORT": str(port),
        "VAR_DIR": str(var),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",  # other tests share the processors
    }
    made = Containers(environment, var, port)
    prepared = made.run("prepare")
    assert prepared.returncode == 0, prepared.stdout + prepared.stderr
    return made
