"""What containers run, run without containers: the same entry point, servers on TCP with passwords."""

from __future__ import annotations

import http.client
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.docker.conftest import PASSWORD, Containers, wait_until
from tests.docker.nginx import any_certificate, nginx

HOST = "kindred.test"


def stop(process: subprocess.Popen[bytes]) -> int:
    process.send_signal(signal.SIGTERM)
    return process.wait(timeout=60)


def family(pid: int) -> list[int]:
    """A process and all below it."""
    children = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(entry.name))
    pids = [pid]
    for member in pids:
        pids += children.get(member, [])
    return pids


def loads_pytorch(pid: int) -> bool:
    return "libtorch" in Path(f"/proc/{pid}/maps").read_text()


@pytest.fixture(scope="module")
def site(containers) -> Iterator[subprocess.Popen[bytes]]:
    """The role web, up."""
    process = containers.start("web")
    try:
        wait_until(lambda: containers.probe("web").returncode == 0, "the site")
        yield process
    finally:
        code = stop(process)
    assert code == 0, containers.log("web")


def ask(containers: Containers, path: str, **headers: str) -> http.client.HTTPResponse:
    """One request over plain HTTP, as from the proxy; `read` has been called."""
    connection = http.client.HTTPConnection("127.0.0.1", containers.port, timeout=10)
    sent = {"Host": HOST, **{name.replace("_", "-"): value for name, value in headers.items()}}
    connection.request("GET", path, headers=sent)
    response = connection.getresponse()
    response.content = response.read().decode(errors="replace")
    connection.close()
    return response


def test_preparing_again_changes_nothing(containers):
    with psycopg.connect(database(containers)) as connection:
        before = connection.execute("SELECT id FROM questionbank_modelartifact ORDER BY id").fetchall()
    assert containers.run("prepare").returncode == 0
    with psycopg.connect(database(containers)) as connection:
        assert connection.execute("SELECT id FROM questionbank_modelartifact ORDER BY id").fetchall() == before
    assert before
    assert list((containers.var / "static").glob("css/*.css.gz"))


def database(containers: Containers) -> str:
    return containers.environment["DATABASE_URL"]


def test_the_banks_role_is_no_superuser_and_needs_its_password(containers):
    with psycopg.connect(database(containers)) as connection:
        row = connection.execute("SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = 'kindred'")
        assert row.fetchone() == (False, True)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("COPY (SELECT 1) TO PROGRAM 'true'")
    address = database(containers).rpartition("@")[2]
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(f"postgres://kindred:wrong@{address}").close()
    assert PASSWORD not in database(containers)


def test_the_site_answers_the_load_balancer_over_plain_http_and_nobody_else(containers, site):
    health = ask(containers, "/health/")
    assert (health.status, health.content) == (200, '{"status": "ok"}')
    for path in ("/", "/accounts/login/", "/health/details/"):
        assert ask(containers, path).status == 301
        assert ask(containers, path).headers["Location"] == f"https://{HOST}{path}"


def test_pages_behind_the_proxy_have_the_headers_and_cookies_of_production(containers, site):
    page = ask(containers, "/accounts/login/", X_Forwarded_Proto="https")
    assert page.status == 200
    assert "max-age=31536000" in page.headers["Strict-Transport-Security"]
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    cookies = page.headers.get_all("Set-Cookie")
    assert cookies
    for cookie in cookies:
        assert {"Secure", "HttpOnly"} <= {part.strip() for part in cookie.split(";")}
        assert "SameSite=Lax" in cookie
    names = re.findall(r'(?:href|src)="(/static/[^"]+)"', page.content)
    assert names
    for name in names:
        static = ask(containers, name, X_Forwarded_Proto="https")
        assert static.status == 200, name
        assert "immutable" in static.headers["Cache-Control"]


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_through_the_shipped_proxy_pages_come_over_tls_and_nobody_is_sent_in_circles(containers, site, tmp_path):
    with nginx(tmp_path / "nginx", upstream=containers.port, tls=True) as proxy:
        own_tls = http.client.HTTPSConnection("127.0.0.1", proxy.tls_port, context=any_certificate())
        tls_in_front = http.client.HTTPConnection("127.0.0.1", proxy.port)
        client = http.client.HTTPConnection("127.0.0.1", proxy.port, source_address=("127.0.0.2", 0))
        for connection, status in ((own_tls, 200), (tls_in_front, 200), (client, 301)):
            headers = {"Host": HOST, "X-Forwarded-Proto": "https"}
            connection.request("GET", "/accounts/login/", headers=headers)
            assert connection.getresponse().status == status
            connection.close()


def test_another_host_name_is_refused(containers, site):
    page = ask(containers, "/accounts/login/", Host="evil.example", X_Forwarded_Proto="https")
    assert page.status == 400
    assert "evil.example" not in page.content


def test_the_sites_processes_have_not_loaded_pytorch(containers, site):
    ask(containers, "/accounts/login/", X_Forwarded_Proto="https")
    processes = family(site.pid)
    assert len(processes) >= 3  # gunicorn and its workers
    assert not any(loads_pytorch(pid) for pid in processes)


def test_workers_and_clock_become_healthy_and_stop_when_asked(containers):
    assert containers.probe("worker-default").returncode == 1
    started = {name: containers.start(name) for name in ("worker-default", "beat")}
    try:
        for name in started:
            wait_until(lambda name=name: containers.probe(name).returncode == 0, name)
        assert containers.probe("worker-train").returncode == 1
        assert not loads_pytorch(started["beat"].pid)  # it runs in the site's image
    finally:
        codes = {name: stop(process) for name, process in started.items()}
    assert codes == {"worker-default": 0, "beat": 0}, containers.log("worker-default")


def test_a_backup_is_made_and_restored_while_the_site_runs(containers, site, tmp_path):
    path = tmp_path / "bank.tar"
    asks_the_database = "/accounts/password/reset/key/1-abc/"
    assert ask(containers, asks_the_database, X_Forwarded_Proto="https").status == 200
    made = containers.run("backup", str(path))
    assert made.returncode == 0, made.stderr
    with psycopg.connect(database(containers)) as connection:
        connection.execute("UPDATE questionbank_modelartifact SET name = 'spoilt'")
        connection.commit()  # and stays connected, as the site's pool does only while it is asked something
        refused = containers.run("restore", str(path))
    assert re.search(r"CommandError: The bank is in use \(\d+ connections\): stop the site", refused.stderr)
    restored = containers.run("restore", str(path), "--force")
    assert restored.returncode == 0, restored.stderr
    with psycopg.connect(database(containers)) as connection:
        names = connection.execute("SELECT name FROM questionbank_modelartifact").fetchall()
    assert names
    assert ("spoilt",) not in names
    assert containers.probe("web").returncode == 0
    assert ask(containers, asks_the_database, X_Forwarded_Proto="https").status == 200  # it connected again


def test_a_role_that_does_not_exist_ends_with_a_sentence(containers):
    finished = containers.run("no-such-command")
    assert finished.returncode == 1
    assert "Unknown command" in finished.stderr
    assert containers.run().returncode != 0
