"""A training on two hosts: network namespaces, each with a worker, of which one is lost while it trains."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from questionbank.models import Run, RunMetric
from questionbank.services.training import training_request
from tests.worker.real_workers import worker_command, worker_environment
from tests.worker.tiny_training import losses, tiny_training, train_here

HOSTS = {"kindred-one": "10.83.0.1", "kindred-two": "10.83.0.2"}
PATIENCE_SECONDS = 300.0  # on a busy machine


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


def why_not() -> str:
    """Why there can be no network namespaces here."""
    if shutil.which("ip") is None:
        return "iproute2 is not installed"
    trial = f"kindred-{os.getpid()}"  # processes of one test run try at the same time
    made = subprocess.run(["ip", "netns", "add", trial], capture_output=True, text=True, check=False)
    if made.returncode:
        return f"network namespaces are not allowed: {made.stderr.strip()}"
    ip("netns", "delete", trial)
    return ""


REASON = why_not()
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.namespaces,
    pytest.mark.skipif(bool(REASON), reason=REASON),
]


@pytest.fixture
def hosts() -> Iterator[list[subprocess.Popen]]:
    """Two hosts with a cable between them; what is started there is killed at the end."""
    started: list[subprocess.Popen] = []
    for name in HOSTS:
        ip("netns", "add", name)
        ip("-n", name, "link", "set", "lo", "up")
    try:
        one, two = HOSTS
        ip("-n", one, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", two)
        for name, address in HOSTS.items():
            ip("-n", name, "address", "add", f"{address}/24", "dev", "cable")
            ip("-n", name, "link", "set", "cable", "up")
        yield started
    finally:
        for name in HOSTS:
            lose(name)
        for name in HOSTS:  # with the first the cable goes, and so the second's end of it
            ip("netns", "delete", name)
        for process in started:
            process.wait()


def lose(host: str) -> None:
    """Pull the cable, then kill whatever runs there: nobody hears that it ended."""
    with suppress(subprocess.CalledProcessError):  # there was no cable yet
        ip("-n", host, "link", "set", "cable", "down")
    found = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True, check=True)
    for pid in found.stdout.split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


@pytest.fixture
def start_worker(hosts, broker, tmp_path) -> Callable[[str], None]:
    """Starts the worker of a host; PostgreSQL and Redis are sockets, which every namespace sees."""
    parameters = connection.get_connection_params()
    address = f"postgres://{parameters['user']}@/{parameters['host']}/{parameters['dbname']}"

    def start(host: str) -> None:
        with (tmp_path / f"{host}.log").open("wb") as log:
            process = subprocess.Popen(
                ["ip", "netns", "exec", host, *worker_command(f"train@{host}", queue="train", pool="solo")],
                cwd=settings.BASE_DIR,
                env=worker_environment(
                    DATABASE_URL=address, TRAINING_ADDRESS=HOSTS[host], TRAINING_WAIT_SECONDS="15"
                ),
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        hosts.append(process)

    return start


def wait_for(condition: Callable[[], object], folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            logs = "\n".join(path.read_text()[-4000:] for path in folder.glob("*.log"))
            pytest.fail(f"waited in vain: {list(Run.objects.values())}\n{logs}")
        time.sleep(0.2)


def test_two_hosts_learn_as_one_process_and_a_training_outlives_one_of_them(start_worker, tmp_path):
    asked = tiny_training(tmp_path, epochs=15)
    alone = train_here(asked)
    run = training_request(capability="encoder", settings={**asked, "nodes": "2"})
    for host in HOSTS:
        start_worker(host)
    wait_for(lambda: RunMetric.objects.filter(run=run, name="loss").count() >= 3, tmp_path)
    run.refresh_from_db()
    lose(next(host for host in HOSTS if not run.worker.endswith(host)))
    reached = max(losses(run))
    wait_for(lambda: Run.objects.get(pk=run.pk).is_finished, tmp_path)
    run.refresh_from_db()
    said = list(run.logs.values_list("text", flat=True))
    assert (run.state, run.error) == (Run.State.SUCCEEDED, ""), said
    lost = (
        "A machine that took part does not answer any more. The training continues from its last checkpoint."
    )
    assert lost in said
    assert "Going on with 1 of 2 machines." in said
    assert reached < max(losses(alone))
    assert losses(run) == pytest.approx(losses(alone), abs=1e-3)
