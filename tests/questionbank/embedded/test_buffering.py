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

from questionbank.embedded.buffering import (
    BODY_RATE,
    BODY_SECONDS,
    HEADER_SECONDS,
    SMALL_BODY,
    BufferingChannel,
    _has_session,
)
from questionbank.embedded.instance import free_port

ADDRESS = "127.0.0.1"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    port = free_port(18800, ADDRESS)
    site = ["gunicorn", "tests.questionbank.embedded.hello:application", "--no-control-socket"]
    worker = ["--worker-class", "questionbank.embedded.buffering.BufferingWorker", "--threads", "2"]
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
