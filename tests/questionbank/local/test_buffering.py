"""Slow clients against a real server of two threads."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from types import SimpleNamespace

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db import OperationalError, connection

from questionbank.local.buffering import (
    BODY_RATE,
    BODY_SECONDS,
    HEADER_SECONDS,
    SMALL_BODY,
    BufferingChannel,
    _has_session,
    _refusal,
)
from questionbank.local.instance import free_port

ADDRESS = "127.0.0.1"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    port = free_port(18800, ADDRESS)
    site = ["gunicorn", "tests.questionbank.local.hello:application", "--no-control-socket"]
    worker = ["--worker-class", "questionbank.local.buffering.BufferingWorker", "--threads", "2"]
    server = subprocess.Popen([sys.executable, "-m", *site, *worker, "--bind", f"{ADDRESS}:{port}"])
    try:
        for _ in range(300):
            try:
                ask(port)
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        assert server.wait(30) == 0


def ask(port: int, method: str = "GET", body: bytes | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=30)
    connection.request(method, "/", body)
    answer = connection.getresponse()
    reply = answer.status, answer.read()
    connection.close()
    return reply


@pytest.mark.parametrize(
    "beginning",
    [b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ", b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\na"],
    ids=["headers", "body"],
)
def test_sixty_slow_clients_keep_nobody_waiting(port: int, beginning: bytes) -> None:
    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(socket.create_connection((ADDRESS, port))).sendall(beginning)
        assert ask(port) == (200, b"0")
        assert ask(port, "POST", b"x" * 100_000) == (200, b"100000")


def test_a_large_body_without_a_session_is_refused_before_it_is_sent(port: int) -> None:
    with socket.create_connection((ADDRESS, port), timeout=30) as client:
        client.sendall(f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {SMALL_BODY + 1}\r\n\r\n".encode())
        assert client.recv(1000).startswith(b"HTTP/1.1 403 Forbidden")


def conversation(port: int, *requests: bytes) -> bytes:
    """Send bytes on one connection, all at once, and return everything that came until the server closed it."""
    with socket.create_connection((ADDRESS, port), timeout=30) as client:
        client.sendall(b"".join(requests))
        return b"".join(iter(lambda: client.recv(65536), b""))


def request(line: str, *headers: str, body: bytes = b"") -> bytes:
    return "\r\n".join([line, "Host: x", *headers, "", ""]).encode() + body


CLOSE = "Connection: close"
LAST = request("POST /last HTTP/1.1", "Content-Length: 4", CLOSE, body=b"four")
LAST_ANSWER = b"\r\n\r\n4"


@pytest.mark.parametrize("path", ["/", "/file"])
def test_an_answer_to_head_is_the_headers_of_get_and_shifts_nothing(port: int, path: str) -> None:
    said = conversation(port, request(f"HEAD {path} HTTP/1.1"), request(f"GET {path} HTTP/1.1"), LAST)
    first, second, third = said.split(b"HTTP/1.1 200 OK\r\n")[1:]
    body = {"/": b"0", "/file": b"a file!"}[path]
    assert first.endswith(b"\r\n\r\n")
    assert b"Content-Length: %d\r\n" % len(body) in first
    assert second.endswith(b"\r\n\r\n" + body)
    assert third.endswith(LAST_ANSWER)


def test_an_answer_to_head_without_a_length_is_headers_alone(port: int) -> None:
    said = conversation(port, request("HEAD /stream HTTP/1.1", CLOSE))
    assert said.endswith(b"\r\n\r\n")
    assert said.count(b"\r\n\r\n") == 1
    whole = conversation(port, request("GET /stream HTTP/1.1", CLOSE))
    assert whole.endswith(b"4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n")


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
@pytest.mark.parametrize("status", ["204", "304"])
def test_an_answer_that_may_have_no_body_has_none(port: int, method: str, status: str) -> None:
    said = conversation(port, request(f"{method} /{status} HTTP/1.1", CLOSE))
    assert said.startswith(f"HTTP/1.1 {status} ".encode())
    assert said.endswith(b"\r\n\r\n")
    assert b"Content-Length" not in said
    assert b"Transfer-Encoding" not in said


def test_requests_sent_in_a_row_are_answered_in_their_order(port: int) -> None:
    posts = [request("POST / HTTP/1.1", f"Content-Length: {n}", body=b"x" * n) for n in range(9)]
    said = conversation(port, *posts, LAST)
    bodies = [answer[-1:] for answer in said.split(b"HTTP/1.1 200 OK\r\n")[1:]]
    assert b"".join(bodies) == b"0123456784"


@pytest.mark.parametrize(("headers", "stays"), [([], False), (["Connection: keep-alive"], True), ([CLOSE], False)])
def test_http_1_0_ends_a_connection_unless_the_client_keeps_it(port: int, headers, stays) -> None:
    for method in ("GET", "HEAD"):
        said = conversation(port, request(f"{method} / HTTP/1.0", *headers), LAST)
        assert said.startswith(b"HTTP/1.0 200 OK")
        assert said.endswith(LAST_ANSWER) is stays


@pytest.mark.parametrize(
    ("version", "headers"),
    [
        ("1.1", ["Content-Length: 4", "Transfer-Encoding: chunked"]),
        ("1.1", ["Transfer-Encoding: chunked", "Content-Length: 4"]),
        ("1.1", ["Content-Length: 0", "Transfer-Encoding: chunked"]),
        ("1.1", ["Content-Length: 4", "Content-Length: 5"]),
        ("1.1", ["Content-Length: 4, 4"]),
        ("1.1", ["Content-Length: +4"]),
        ("1.1", ["Content-Length: -4"]),
        ("1.1", ["Content-Length: 0x4"]),
        ("1.1", ["Transfer-Encoding: gzip, chunked"]),
        ("1.1", ["Transfer-Encoding: chunked, identity"]),
        ("1.1", ["Transfer-Encoding: \x0bchunked"]),
        ("1.1", ["Transfer-Encoding : chunked"]),
        ("1.0", ["Transfer-Encoding: chunked"]),
        ("1.0", ["Content-Length: 4", "Transfer-Encoding: chunked"]),
    ],
)
def test_a_body_whose_end_is_in_doubt_is_refused_and_ends_the_connection(port: int, version, headers) -> None:
    smuggled = b"0\r\n\r\n" + request("GET /smuggled HTTP/1.1")
    said = conversation(port, request(f"POST / HTTP/{version}", *headers, body=smuggled), LAST)
    assert said.split(b" ", 2)[1] in (b"400", b"501"), said
    assert said.count(b"\r\nDate: ") == 1


@pytest.mark.django_db
def test_a_session_of_somebody_logged_in_admits_a_large_body() -> None:
    session = SessionStore()
    session["theme"] = "dark"
    session.save()
    assert not _has_session(f"sessionid={session.session_key}")
    session["_auth_user_id"] = "1"
    session.save()
    assert _has_session(f"a=b; sessionid={session.session_key}")
    for cookies in ("", "sessionid=", "sessionid=nonsense", "\x00"):
        assert not _has_session(cookies)


@pytest.mark.django_db(transaction=True)
def test_a_restart_of_the_database_logs_nobody_out_and_its_absence_is_a_503(monkeypatch) -> None:
    session = SessionStore()
    session["_auth_user_id"] = "1"
    session.save()
    cookies = f"sessionid={session.session_key}"
    other = connection.copy()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (ours,) = cursor.fetchone()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 5000)", [ours])
    other.close()
    assert _refusal(cookies) is None
    assert _refusal("").code == 403

    def away(*_args: object) -> None:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(SessionStore, "load", away)
    status, headers, _body = _refusal(cookies).to_response()
    assert (status, ("Retry-After", "3") in headers) == ("503 Service Unavailable", True)


@pytest.mark.parametrize(
    ("headers_finished", "size", "seconds", "overdue"),
    [
        (False, 0, HEADER_SECONDS - 1, False),
        (False, 0, HEADER_SECONDS + 1, True),
        (True, 1000, HEADER_SECONDS + 1, False),
        (True, 1000, BODY_SECONDS + 1, True),
        (True, 100 * BODY_RATE, BODY_SECONDS + 50, False),
    ],
)
def test_a_request_has_its_time(headers_finished, size, seconds, overdue) -> None:
    request = SimpleNamespace(completed=False, headers_finished=headers_finished, content_length=size)
    channel = SimpleNamespace(request=request, request_since=1000.0)
    assert BufferingChannel.is_overdue(channel, 1000.0 + seconds) is overdue
    channel.request = None
    assert BufferingChannel.is_overdue(channel, 9e9) is False
