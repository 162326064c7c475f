"""`manage.py serve` itself, with real servers, site and workers; only the demo bank is left out."""

from __future__ import annotations

import os
import re
import signal
import sys
import urllib.request
from pathlib import Path

import pytest

from questionbank.local import SERVICES
from questionbank.local.instance import free_port
from questionbank.local.server import is_alive
from tests.faults.disk import NoDisk, own_disk
from tests.faults.instance import children_of
from tests.serving import BASE_DIR, serve_command, serve_environment


@pytest.fixture
def serve(var_dir, popen):
    """Starts `manage.py serve` in the module's VAR_DIR."""
    environment = {**serve_environment(var_dir, free_port(18000)), "PROCESSES": "many"}
    command = serve_command()
    return lambda *options: popen([*command, *options], cwd=BASE_DIR, env=environment)


def test_a_first_start_without_space_ends_in_one_sentence_and_leaves_nothing(open_folder, popen):
    folder = open_folder / "small disk"
    folder.mkdir()
    with own_disk(folder, size=1_000_000_000) as disk:
        if isinstance(disk, NoDisk):
            pytest.skip(str(disk))
        environment = {
            **{name: value for name, value in os.environ.items() if not name.endswith("_URL")},
            "DJANGO_SETTINGS_MODULE": "questionbank.settings",
            "DEMO": "1",
            "VAR_DIR": str(folder / "var"),
        }
        process = popen([sys.executable, "manage.py", "serve"], cwd=BASE_DIR, env=environment)
        said, complained = process.communicate(timeout=60)
        assert process.returncode == 1, said + complained
        assert re.fullmatch(
            r"Error: The first start needs about \S+ of free disk space in .*; .* are free\.\n",
            complained.replace("\xa0", ""),
        ), complained
        assert {path.name for path in (folder / "var").iterdir()} <= {"serve.lock"}


def read_until(process, pattern: str) -> re.Match:
    lines = []
    for line in process.stdout:
        lines.append(line)
        if match := re.search(pattern, line):
            return match
    raise AssertionError(f"{pattern} was not said: {''.join(lines)}{process.communicate()[1]}")


def status_of(address: str) -> int:
    return urllib.request.urlopen(address + "static/admin/css/base.css", timeout=10).status


def answers(address: str) -> bool:
    """Whether the site answers; a worker of the killed site may have taken the request, and reset it."""
    try:
        return status_of(address) == 200
    except OSError:
        return False


def test_it_survives_kills_of_every_process_and_stops_everything_at_the_end(serve, var_dir, kill, within):
    supervisor = serve()
    address = read_until(supervisor, r"Kindred is ready: (\S+)")[1]
    assert status_of(address) == 200
    read_until(supervisor, "teacher: teacher / ")

    second = serve()
    assert second.wait() == 1
    said = second.stderr.read()
    assert f"Kindred already runs in {var_dir}: process {supervisor.pid}, {address}." in said

    log = var_dir / "logs" / "web.log"
    web = int(re.search(r"\[(\d+)\] \[INFO\] Listening", log.read_text())[1])
    killed = {"postgres": SERVICES["postgres"].status(var_dir), "redis": SERVICES["redis"].status(var_dir)}
    for pid in (web, *killed.values()):
        kill(pid)
    for name, pid in killed.items():
        assert within(lambda name=name, pid=pid: SERVICES[name].status(var_dir) not in (None, pid))
    assert within(lambda: log.read_text().count("Listening at") == 2, 120)  # it is imported first
    assert within(lambda: answers(address))

    assert within(lambda: len(children_of(supervisor.pid)) == 4)
    status = Path(f"/proc/{supervisor.pid}/status").read_text()
    assert int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) < 80_000  # with Django it would be twice that
    assert within(lambda: any(var_dir.glob("celerybeat-schedule*")), 120)  # the clock runs in a worker
    children = children_of(supervisor.pid)
    kill(supervisor.pid)
    for child in children:
        assert within(lambda child=child: not is_alive(child))

    supervisor = serve()
    read_until(supervisor, "Kindred is ready")
    supervisor.send_signal(signal.SIGINT)
    read_until(supervisor, "Kindred has stopped")
    assert supervisor.wait(timeout=30) == 0
    assert [service.status(var_dir) for service in SERVICES.values()] == [None, None]


def test_its_processes_are_listed(serve):
    names = ["web", "worker-default", "worker-light", "worker-train", "beat"]
    assert serve("--list").communicate()[0].split() == names


def test_one_process_alone_wants_running_servers_and_a_name_that_exists(serve):
    assert "There is no process wep; there are web," in serve("--only", "wep").communicate()[1]
    assert re.search("(postgres|redis) does not run: set", serve("--only", "web").communicate()[1])


def test_one_process_alone_becomes_that_process(serve, var_dir, user_of):
    user_of(var_dir)
    web = serve("--only", "web")
    port = int(
        next(
            re.search(r"Listening at: http://127\.0\.0\.1:(\d+)", line)[1] for line in web.stderr if "Listening" in line
        )
    )
    assert status_of(f"http://127.0.0.1:{port}/") == 200  # a static file: it has collected them
    assert b"gunicorn" in Path(f"/proc/{web.pid}/cmdline").read_bytes()
    web.terminate()
    assert web.wait(timeout=30) == 0
