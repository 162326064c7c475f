"""The shipped proxies alike: what the site learns of a request, how large it may be, and what arrives when."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.docker.nginx import any_certificate
from tests.docker.proxies import NAME, Proxy, program, running_proxy

CLIENT = "127.0.0.2"
KEY = "1-c5x2ab-4f0a1e6b8c7d"
MEGABYTE = 1024 * 1024
SPOOFED = {"X-Forwarded-Proto": "http", "X-Forwarded-For": "6.6.6.6", "X-Forwarded-Host": "evil.example"}

PROXIES = [
    pytest.param(name, marks=pytest.mark.skipif(program(name) is None, reason=f"{name} is not installed"))
    for name in ("nginx", "caddy", "traefik")
]


class Site(BaseHTTPRequestHandler):
    """Answers with the headers that reached it; under /slow/ it writes the end of a file only when it may."""

    protocol_version = "HTTP/1.1"
    may_end = threading.Event()

    def do_GET(self) -> None:
        if self.path.startswith("/slow/"):
            self._write_slowly()
            return
        left = length = int(self.headers.get("Content-Length", 0))
        while left > 0 and (read := self.rfile.read(min(left, MEGABYTE))):
            left -= len(read)
        body = json.dumps({**self.headers, "length": length, "path": self.path}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET  # noqa: N815

    def _write_slowly(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for letter in (b"a", b"z"):
            if letter == b"z" and not self.may_end.wait(20):
                return  # nothing arrived: the test fails
            self.wfile.write(b"%x\r\n%s\r\n" % (MEGABYTE, letter * MEGABYTE))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module", params=PROXIES)
def proxy(site, request, tmp_path_factory) -> Iterator[Proxy]:
    with running_proxy(request.param, tmp_path_factory.mktemp("proxy") / request.param, upstream=site) as ran:
        yield ran


class Connection(http.client.HTTPSConnection):
    """To a proxy on this machine under the site's name, which it chooses the certificate and the site by."""

    def __init__(self, proxy: Proxy) -> None:
        super().__init__(NAME, proxy.tls_port, timeout=30, source_address=(CLIENT, 0), context=any_certificate())

    def connect(self) -> None:
        self.host = "127.0.0.1"
        http.client.HTTPConnection.connect(self)
        self.sock = self._context.wrap_socket(self.sock, server_hostname=NAME)


@contextmanager
def asked(proxy: Proxy, path: str = "/", **request) -> Iterator[http.client.HTTPResponse]:
    """Send a request, and yield the beginning of the response."""
    connection = Connection(proxy)
    try:
        headers = {"Host": NAME, **request.pop("headers", {})}
        connection.request(request.pop("method", "GET"), path, headers=headers, **request)
        yield connection.getresponse()
    finally:
        connection.close()


@pytest.mark.parametrize("headers", [{}, SPOOFED])
def test_the_site_learns_who_asked_for_what_and_nothing_that_the_client_made_up(proxy, headers):
    """As TRUSTED_PROXIES=1 reads it: the last address is the client's."""
    with asked(proxy, "/questions/?q=x%2Fy", headers=headers) as response:
        reached = json.loads(response.read())
    assert reached["X-Forwarded-Proto"] == "https"
    assert reached["X-Forwarded-For"] == CLIENT
    assert reached["Host"] == NAME
    assert reached["path"] == "/questions/?q=x%2Fy"


def test_over_plain_http_a_client_is_sent_to_https_or_the_site_learns_that_it_was_plain(proxy):
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=30)
    connection.request("GET", "/questions/", headers={"Host": NAME, "X-Forwarded-Proto": "https"})
    response = connection.getresponse()
    if proxy.name == "nginx":  # trusts this machine; test_nginx.py asks it from elsewhere
        assert response.status == 200
    else:
        assert response.status in (301, 302, 308)
        assert response.headers["Location"].startswith(f"https://{NAME}")
    connection.close()


def test_a_name_that_is_not_the_sites_does_not_reach_it(proxy):
    if proxy.name == "nginx":
        pytest.skip("nginx passes every name on, and the site refuses it")
    with asked(proxy, headers={"Host": "evil.example"}) as response:
        assert (response.status, response.read().startswith(b"{")) in ((404, False), (200, False), (421, False))


def body(megabytes: int) -> Iterator[bytes]:
    block = b"x" * MEGABYTE
    return (block for _ in range(megabytes))


def test_an_upload_of_the_largest_size_passes(proxy):
    length = {"Content-Length": str(200 * MEGABYTE), "Content-Type": "application/octet-stream"}
    with asked(proxy, method="POST", body=body(200), headers=length) as response:
        assert (response.status, json.loads(response.read())["length"]) == (200, 200 * MEGABYTE)


def test_a_larger_upload_is_refused_where_the_proxy_has_a_limit(proxy):
    if proxy.name == "traefik":
        pytest.skip("Traefik has no limit that lets downloads stream; the site has one")
    length = {"Content-Length": str(220 * MEGABYTE), "Content-Type": "application/octet-stream"}
    try:
        with asked(proxy, method="POST", body=body(220), headers=length) as response:
            assert response.status == 413
    except (ConnectionError, ssl.SSLError):  # it stopped reading before we stopped writing
        pass


@pytest.mark.parametrize("path", ["/slow/download/", "/slow/mcp"])
def test_what_the_site_has_written_arrives_before_it_has_written_all(proxy, path):
    Site.may_end.clear()
    with asked(proxy, path) as response:
        assert response.read(MEGABYTE // 2) == b"a" * (MEGABYTE // 2)
        Site.may_end.set()
        rest = response.read()
    assert (len(rest), rest[-1:]) == (3 * MEGABYTE // 2, b"z")


@pytest.mark.parametrize("name", PROXIES)
def test_no_log_of_a_proxy_whose_site_is_away_has_the_key_of_a_reset(name, tmp_path):
    with running_proxy(name, tmp_path / name, upstream=1) as away:
        for path in (f"/accounts/password/reset/key/{KEY}/", "/questions/"):
            with asked(away, path) as response:
                assert response.status == 502
    assert KEY not in away.log
    if name != "traefik":
        assert "/accounts/password/reset/key/..." in away.log
