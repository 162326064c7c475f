"""The real Caddy and Traefik with the shipped examples, on ports and folders of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.docker.conftest import DOCKER, unused_port
from tests.docker.nginx import any_certificate, certificate, nginx

NAME = "kindred.test"


@dataclass(frozen=True)
class Proxy:
    """A running proxy: it ends TLS at `tls_port`, and `log` is what it wrote."""

    name: str
    port: int
    tls_port: int
    folder: Path

    @property
    def log(self) -> str:
        """Everything that it wrote."""
        return "".join(path.read_text() for path in self.folder.glob("*.log"))


def program(name: str) -> str | None:
    """Return the path of an installed proxy; Traefik may be that of a Python package."""
    beside = Path(sys.executable).parent
    return shutil.which(name, path=os.pathsep.join([str(beside), os.environ["PATH"]]))


def _written(folder: Path, name: str, changes: Mapping[str, str]) -> Path:
    """Write a shipped example with the ports and folders of a test."""
    text = (DOCKER / name).read_text(encoding="utf-8")
    for shipped, ours in changes.items():
        assert shipped in text, shipped
        text = text.replace(shipped, ours)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _caddy(folder: Path, port: int, tls_port: int, upstream: int) -> list[str]:
    ports = f"{{\n\tadmin off\n\thttp_port {port}\n\thttps_port {tls_port}\n\tstorage file_system {folder}/storage\n"
    changes = {
        "{\n\tservers": f"{ports}\tservers",
        "kindred.school.example {": f"{NAME} {{",
        "# tls /etc/caddy/tls/fullchain.pem /etc/caddy/tls/privkey.pem": (
            f"tls {folder}/fullchain.pem {folder}/privkey.pem"
        ),
        "127.0.0.1:8000 {": f"127.0.0.1:{upstream} {{",
    }
    path = _written(folder, "Caddyfile", changes)
    return ["run", "--config", str(path), "--adapter", "caddyfile"]


def _traefik(folder: Path, port: int, tls_port: int, upstream: int) -> list[str]:
    routes = _written(
        folder,
        "traefik-routes.yaml",
        {"kindred.school.example": NAME, "127.0.0.1:8000": f"127.0.0.1:{upstream}", "/etc/traefik/tls": str(folder)},
    )
    changes = {
        'address: ":80"': f'address: ":{port}"',
        'address: ":443"': f'address: ":{tls_port}"',
        "/etc/traefik/traefik-routes.yaml": str(routes),
    }
    return [f"--configFile={_written(folder, 'traefik.yaml', changes)}"]


_COMMANDS = {"caddy": _caddy, "traefik": _traefik}


@contextmanager
def running_proxy(name: str, folder: Path, *, upstream: int) -> Iterator[Proxy]:
    """Run a shipped example in front of a port of this machine; it ends TLS with a certificate that nobody signed."""
    if name == "nginx":
        with nginx(folder, upstream=upstream, tls=True) as ran:
            yield Proxy(name, ran.port, ran.tls_port, folder)
        return
    folder.mkdir()
    certificate(folder)
    proxy = Proxy(name, unused_port(), unused_port(), folder)
    arguments = _COMMANDS[name](folder, proxy.port, proxy.tls_port, upstream)
    with (folder / "output.log").open("wb") as log:
        server = subprocess.Popen(
            [str(program(name)), *arguments], stdout=log, stderr=log, env={**os.environ, "HOME": str(folder)}
        )
    try:
        for _ in range(400):
            assert server.poll() is None, proxy.log
            try:
                with socket.create_connection(("127.0.0.1", proxy.tls_port)) as opened:
                    any_certificate().wrap_socket(opened, server_hostname=NAME).close()
                break
            except OSError:  # not there yet, or without its certificate
                time.sleep(0.05)
        yield proxy
    finally:
        server.terminate()
        server.wait(30)
