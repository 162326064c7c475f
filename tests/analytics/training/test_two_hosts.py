"""A training on two hosts, which are network namespaces."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from analytics import __main__ as command
from tests.analytics.training.two_processes import ROOT, arguments, check_same_artifact, write_material

HOSTS = {"kindred-one": "10.83.0.1", "kindred-two": "10.83.0.2"}


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
pytestmark = [pytest.mark.namespaces, pytest.mark.skipif(bool(REASON), reason=REASON)]


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
        for process in started:
            process.kill()
            process.wait()
        for name in HOSTS:  # with the first the cable goes, and so the second's end of it
            ip("netns", "delete", name)


def test_two_hosts_write_the_artifact_of_one_process(hosts, tmp_path):
    write_material(tmp_path)
    for number, host in enumerate(HOSTS):
        torchrun = [
            *("ip", "netns", "exec", host, sys.executable, "-m", "torch.distributed.run"),
            *("--nnodes=2", f"--node-rank={number}", "--nproc-per-node=1"),
            *(f"--master-addr={HOSTS['kindred-one']}", "--master-port=29500", "-m", "analytics"),
        ]
        with (tmp_path / f"{host}.log").open("wb") as log:
            process = subprocess.Popen(
                [*torchrun, *arguments(tmp_path, "together")],
                cwd=ROOT,
                env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "cable"},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        hosts.append(process)
    assert command.main(arguments(tmp_path, "alone")) == 0
    codes = [process.wait(timeout=600) for process in hosts]
    logs = [(tmp_path / f"{host}.log").read_text() for host in HOSTS]
    assert codes == [0, 0], logs
    assert ['"steps"' in log for log in logs] == [True, False]
    check_same_artifact(tmp_path / "together", tmp_path / "alone")
