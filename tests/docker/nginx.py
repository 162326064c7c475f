"""The real nginx with docker/nginx.conf, on ports and folders of its own."""

from __future__ import annotations

import os
import re
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.docker.conftest import DOCKER, unused_port


@dataclass(frozen=True)
class Nginx:
    """A running nginx; `log` is what it wrote, errors included."""

    port: int
    tls_port: int
    folder: Path

    @property
    def log(self) -> str:
        """Everything that it wrote."""
        return "".join(path.read_text() for path in self.folder.glob("*.log"))


@contextmanager
def nginx(folder: Path, *, upstream: int, tls: bool = False, trusts: str = "") -> Iterator[Nginx]:
    """Run the shipped configuration in front of a port of this machine, with its TLS lines where `tls`."""
    folder.mkdir()
    ran = Nginx(unused_port(), unused_port(), folder)
    text = (DOCKER / "nginx.conf").read_text(encoding="utf-8")
    if tls:
        text = re.sub(r"^( +)# ((?:listen 8443|ssl_)[^\n]*;)$", r"\1\2", text, flags=re.MULTILINE)
        certificate(folder)
    if trusts:
        text = text.replace("127.0.0.1/32 1;", f"{trusts}/32 1;")
    for shipped, ours in {
        "/tmp/": f"{folder}/",  # first: the folder may lie there
        "listen 8080": f"listen {ran.port}",
        "listen 8443": f"listen {ran.tls_port}",
        "http://web:8000": f"http://127.0.0.1:{upstream}",
        "/etc/nginx/tls": str(folder),
        "/dev/stdout": f"{folder}/access.log",
        "/dev/stderr": f"{folder}/error.log",
    }.items():
        text = text.replace(shipped, ours)
    configuration = folder / "nginx.conf"
    configuration.write_text(text, encoding="utf-8")
    directives = "daemon off;" + (" user root;" if os.geteuid() == 0 else "")
    command = ["nginx", "-e", f"{folder}/error.log", "-c", configuration, "-g", directives]
    server = subprocess.Popen(command)
    try:
        for _ in range(200):
            assert server.poll() is None, ran.log
            try:
                socket.create_connection(("127.0.0.1", ran.port)).close()
                break
            except OSError:
                time.sleep(0.05)
        yield ran
    finally:
        server.terminate()
        server.wait(30)


def certificate(folder: Path) -> None:
    """Make a key and a certificate that nobody signed."""
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-subj", "/CN=kindred.test", "-keyout", folder / "privkey.pem"),
            *("-out", folder / "fullchain.pem"),
        ],
        check=True,
        capture_output=True,
    )


def any_certificate() -> ssl.SSLContext:
    """TLS with whoever is there."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
