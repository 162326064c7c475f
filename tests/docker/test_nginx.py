"""The shipped proxy: what it says of a request to the site, and whom it believes."""

from __future__ import annotations

import http.client
import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.docker.nginx import Nginx, any_certificate, nginx

pytestmark = pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
SPOOFED = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "6.6.6.6"}
CLIENT = "127.0.0.2"  # of the addresses that this machine has for itself; the shipped file trusts 127.0.0.1 alone
KEY = "1-c5x2ab-4f0a1e6b8c7d"


class Echo(BaseHTTPRequestHandler):
    """Answers with the headers that reached it, and with the number of bytes."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        length = len(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        body = json.dumps({**self.headers, "length": length}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_POST = do_HEAD = do_GET  # noqa: N815

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module")
def proxy(site, tmp_path_factory) -> Iterator[Nginx]:
    with nginx(tmp_path_factory.mktemp("proxy") / "nginx", upstream=site) as ran:
        yield ran


@pytest.fixture(scope="module")
def outer(proxy, tmp_path_factory) -> Iterator[Nginx]:
    """One that ends TLS and trusts nobody, in front of the first."""
    folder = tmp_path_factory.mktemp("outer") / "nginx"
    with nginx(folder, upstream=proxy.port, tls=True, trusts="192.0.2.1") as ran:
        yield ran


def ask(
    port: int, headers: dict[str, str], *, tls: bool = False, source: str = CLIENT, path: str = "/"
) -> dict[str, str]:
    """The headers with which a client's request reaches the site."""
    kind = http.client.HTTPSConnection if tls else http.client.HTTPConnection
    more = {"context": any_certificate()} if tls else {}
    connection = kind("127.0.0.1", port, timeout=30, source_address=(source, 0), **more)
    connection.request("GET", path, headers={"Host": "kindred.test", **headers})
    reached = json.loads(connection.getresponse().read())
    connection.close()
    return {"proto": reached["X-Forwarded-Proto"], "for": reached["X-Forwarded-For"], "host": reached["Host"]}


@pytest.mark.parametrize("headers", [{}, SPOOFED, {"X-Forwarded-Proto": "https, http"}])
def test_a_client_that_comes_by_itself_came_over_http_whatever_it_says(proxy, headers):
    assert ask(proxy.port, headers) == {"proto": "http", "for": CLIENT, "host": "kindred.test"}


@pytest.mark.parametrize(
    ("headers", "proto", "whose"),
    [
        ({"X-Forwarded-Proto": "https", "X-Forwarded-For": "9.9.9.9"}, "https", "9.9.9.9, 127.0.0.1"),
        ({"X-Forwarded-Proto": "http", "X-Forwarded-For": "9.9.9.9"}, "http", "9.9.9.9, 127.0.0.1"),
        ({"X-Forwarded-Proto": "httpsx"}, "http", "127.0.0.1"),
        ({}, "http", "127.0.0.1"),
    ],
)
def test_a_proxy_in_front_is_believed(proxy, headers, proto, whose):
    reached = ask(proxy.port, headers, source="127.0.0.1")
    assert (reached["proto"], reached["for"]) == (proto, whose)


@pytest.mark.parametrize("headers", [{}, SPOOFED, {"X-Forwarded-Proto": "http"}])
def test_behind_a_proxy_that_ends_tls_the_site_knows_that_it_was_https_and_whose(outer, headers):
    """The client's address is the second from the end, as TRUSTED_PROXIES=2 reads it."""
    reached = ask(outer.tls_port, headers, tls=True)
    assert reached == {"proto": "https", "for": f"{CLIENT}, 127.0.0.1", "host": "kindred.test"}


@pytest.mark.parametrize("headers", [{}, SPOOFED])
def test_plain_requests_to_a_proxy_that_ends_tls_stay_plain(outer, headers):
    assert ask(outer.port, headers)["proto"] == "http"


def test_no_log_of_the_proxy_has_the_key_of_a_reset(site, tmp_path):
    with nginx(tmp_path / "nginx", upstream=site) as ran:
        ask(ran.port, {}, path=f"/accounts/password/reset/key/{KEY}/?next=/")
        ask(ran.port, {}, path=f"/accounts/password%2Freset/key/{KEY}/")
        ask(ran.port, {}, path="/questions/?q=percent")
    with nginx(tmp_path / "away", upstream=1) as away:  # the site is away, which nginx logs as an error
        for path in (f"/accounts/password/reset/key/{KEY}/", "/questions/"):
            connection = http.client.HTTPConnection("127.0.0.1", away.port, timeout=30)
            connection.request("GET", path)
            assert connection.getresponse().status == 502
            connection.close()
    log = ran.log + away.log
    assert KEY not in log
    assert "/accounts/password/reset/key/... 200" in log
    assert "/questions/?q=percent 200" in log
    assert '"GET /questions/ HTTP/1.1"' in log  # of the error
