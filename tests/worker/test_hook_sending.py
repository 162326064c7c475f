"""Sending web hooks: to the checked address alone, in bounded time and memory, and again after a crash."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
from ipaddress import ip_network
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import F

from questionbank.hooks.services import CLAIM, hook_create, hook_secret, hook_test
from questionbank.models import Hook, HookDelivery, HookEvent
from tests.factories import QuestionFactory
from tests.worker.hook_receiver import receiving, wait_until
from tests.worker.real_workers import worker_environment
from worker import hook_sending

BASE_DIR = Path(__file__).resolve().parents[2]
LOCAL = [ip_network("127.0.0.0/8"), ip_network("::1")]
SEND = "import django; django.setup(); from worker.hook_sending import hooks_deliver; hooks_deliver()"
pytestmark = pytest.mark.usefixtures("without_running_loop")


@pytest.fixture(autouse=True)
def _nothing_wakes(monkeypatch) -> None:
    monkeypatch.setattr("questionbank.core.task_queue._wake", lambda job, queue: None)


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def hook(db, teacher, receiver, settings) -> Hook:
    """Leads to the receiver, whose network is allowed."""
    settings.HOOK_NETWORKS = LOCAL
    return hook_create(
        user=teacher, address=f"http://127.0.0.1:{receiver.port}/a?b=c", events=["question.changed"], site=""
    )[0]


def delivered(hook: Hook) -> dict[str, object]:
    """Send a test message and return what became of it."""
    hook_test(user=hook.owner, hook_id=hook.pk)
    hook_sending.hooks_deliver()
    return HookDelivery.objects.latest("pk").last_attempt


def lead_to(hook: Hook, address: str) -> Hook:
    Hook.objects.filter(pk=hook.pk).update(address=address)
    hook.refresh_from_db()
    return hook


def names_mean(monkeypatch, *answers: str) -> list[str]:
    """Let each look-up of a name give the next of these addresses; return the names that were looked up."""
    real, asked, left = socket.getaddrinfo, [], list(answers)

    def look_up(host, port, *arguments, **options):
        if host is None or host.replace(".", "").isdigit() or ":" in str(host):
            return real(host, port, *arguments, **options)
        asked.append(host)
        return real(left.pop(0) if len(left) > 1 else left[0], port, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


def test_a_change_reaches_the_receiver_signed(hook, receiver) -> None:
    question = QuestionFactory()
    assert hook_sending.hooks_deliver() == 1
    ((path, headers, body),) = receiver.requests
    assert path == "/a?b=c"
    assert headers["host"] == f"127.0.0.1:{receiver.port}"
    assert headers["content-type"] == "application/json"
    assert f'"ids": [{question.pk}]' in body.decode()
    assert headers["webhook-signature"].startswith("v1,")
    assert hook_secret(hook) not in str(headers) + body.decode()
    assert HookDelivery.objects.get().state == "delivered"
    assert hook_sending.hooks_deliver() == 0


@pytest.mark.parametrize(
    ("status", "error"), [(404, "The receiver answered 404."), (503, "The receiver answered 503.")]
)
def test_an_error_is_kept_with_the_beginning_of_the_response(hook, receiver, status, error) -> None:
    receiver.status, receiver.body = status, (b"Not \0 here \xff",)
    attempt = delivered(hook)
    assert (attempt["status"], attempt["response"], attempt["error"]) == (status, "Not � here �", error)


def test_a_redirect_is_not_followed(hook, receiver) -> None:
    receiver.status, receiver.headers = 307, {"Location": f"http://127.0.0.1:{receiver.port}/elsewhere"}
    attempt = delivered(hook)
    assert attempt["error"] == "The receiver redirects (307); enter the address to which it leads."
    assert len(receiver.requests) == 1


def test_of_a_response_of_10_mb_only_the_beginning_is_read(hook, receiver) -> None:
    receiver.status, receiver.body = 200, (b"a" * 65_536,) * 160
    attempt = delivered(hook)
    assert attempt == {"at": attempt["at"], "status": 200, "response": "a" * hook_sending.KEPT, "error": ""}
    wait_until(lambda: receiver.sent < 10_485_760)
    assert receiver.sent < 10_485_760


@pytest.mark.parametrize("silence", ["no_response", "endless_headers", "no_handshake"])
def test_a_server_that_never_answers_is_left_in_time(hook, silence, monkeypatch) -> None:
    monkeypatch.setattr(hook_sending, "SECONDS", 0.5)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        scheme = "https" if silence == "no_handshake" else "http"
        lead_to(hook, f"{scheme}://127.0.0.1:{server.getsockname()[1]}/")

        def listen() -> None:
            connection, _address = server.accept()
            with connection:
                if silence == "endless_headers":
                    connection.sendall(b"HTTP/1.1 200 OK\r\n")
                while not over.wait(0.05):
                    if silence == "endless_headers":
                        try:
                            connection.sendall(b"X-More: 1\r\n")
                        except OSError:
                            return

        thread = threading.Thread(target=listen)
        thread.start()
        attempt = delivered(hook)
        over.set()
        thread.join()
    assert attempt["error"] == "The receiver did not answer in time."


def test_a_server_that_hangs_up_or_is_not_there_is_named(hook, receiver) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    attempt = delivered(lead_to(hook, f"http://127.0.0.1:{port}/"))
    assert attempt["error"].startswith("The receiver could not be reached: ")


# --- where it leads ----------------------------------------------------------------------------------


@pytest.mark.parametrize("meaning", ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1", "::ffff:127.0.0.1", "0.0.0.0"])
def test_a_name_that_means_a_private_address_is_refused(hook, receiver, settings, monkeypatch, meaning) -> None:
    settings.HOOK_NETWORKS = []
    asked = names_mean(monkeypatch, meaning)
    attempt = delivered(lead_to(hook, f"http://hooks.example:{receiver.port}/"))
    assert asked == ["hooks.example"]
    assert attempt["error"].startswith("Kindred sends nothing to private addresses.")
    assert attempt["status"] is None
    assert receiver.requests == []


def test_a_name_that_soon_means_something_else_is_looked_up_once(hook, receiver, settings, monkeypatch) -> None:
    """The first answer is public, the second our own machine: the connection goes to the first, which is not there."""
    settings.HOOK_NETWORKS = []
    monkeypatch.setattr(hook_sending, "SECONDS", 1.0)
    asked = names_mean(monkeypatch, "203.0.113.1", "127.0.0.1")
    monkeypatch.setattr(hook_sending, "is_allowed", lambda address: str(address) == "203.0.113.1")
    attempt = delivered(lead_to(hook, f"http://hooks.example:{receiver.port}/"))
    assert asked == ["hooks.example"]
    assert attempt["error"]
    assert receiver.requests == []


def test_a_name_with_a_public_and_a_private_address_is_refused(settings, monkeypatch) -> None:
    settings.HOOK_NETWORKS = []
    places = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 80)) for host in ("93.184.215.14", "10.0.0.7")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: places)
    with pytest.raises(hook_sending._Refused):
        asyncio.run(hook_sending._allowed_addresses(hook_sending.urlsplit("http://hooks.example/")))


def test_the_receiver_learns_the_name_it_was_called_by(hook, receiver, monkeypatch) -> None:
    names_mean(monkeypatch, "127.0.0.1")
    assert delivered(lead_to(hook, f"http://hooks.example:{receiver.port}/"))["error"] == ""
    assert receiver.requests[0][1]["host"] == f"hooks.example:{receiver.port}"


def test_an_unknown_name_is_named(hook, monkeypatch) -> None:
    def fail(*_arguments, **_options):
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    assert delivered(lead_to(hook, "https://nowhere.invalid/"))["error"] == "The name of the host is unknown."


def test_proxies_of_the_environment_are_not_used(hook, receiver, monkeypatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")
    assert delivered(hook)["error"] == ""
    assert len(receiver.requests) == 1


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> Path:
    """A certificate of ``hooks.example``, and its key."""
    path = tmp_path_factory.mktemp("certificate") / "both.pem"
    options = [
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:P-256",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=hooks.example",
    ]
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            *options,
            "-addext",
            "subjectAltName=DNS:hooks.example",
            "-out",
            path,
            "-keyout",
            path,
        ],
        check=True,
        capture_output=True,
    )
    return path


@pytest.mark.parametrize(("name", "is_taken"), [("hooks.example", True), ("others.example", False)])
def test_a_certificate_is_checked_against_the_name(hook, certificate, monkeypatch, name, is_taken) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    indicated = []
    context.sni_callback = lambda _socket, server, _context: indicated.append(server)
    trusting = ssl.create_default_context(cafile=certificate)
    monkeypatch.setattr("httpcore2.default_ssl_context", lambda **_: trusting)
    names_mean(monkeypatch, "127.0.0.1")
    with receiving(context=context) as receiver:
        attempt = delivered(lead_to(hook, f"https://{name}:{receiver.port}/"))
    assert indicated == [name]
    assert (attempt["error"] == "", len(receiver.requests)) == (is_taken, is_taken)


# --- after a crash -----------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("received", [0, 1, 3])
def test_after_a_kill_each_message_arrives_once_or_twice_with_one_id(
    teacher, receiver, settings, broker, received
) -> None:
    """A worker is killed between the commit and its first delivery, or in the middle of several."""
    settings.HOOK_NETWORKS = LOCAL
    addresses = [f"http://127.0.0.1:{receiver.port}/{number}" for number in range(4)]
    for address in addresses:
        hook_create(user=teacher, address=address, events=["question.changed"], site="")
    QuestionFactory()
    assert HookEvent.objects.exists()
    place = connection.get_connection_params()
    database = f"postgres://{place['user']}@/{place['host']}/{place['dbname']}"
    environment = worker_environment(DATABASE_URL=database, HOOK_NETWORKS="127.0.0.0/8")
    held = threading.Event()
    receiver.on_request = lambda: held.wait(60)  # it answers none before the worker is dead
    worker = subprocess.Popen([sys.executable, "-c", SEND], env=environment, cwd=BASE_DIR)
    try:
        if received:
            wait_until(lambda: len(receiver.requests) >= received)
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
        held.set()
    HookDelivery.objects.update(due_at=F("due_at") - CLAIM)  # the claim of the dead worker ends
    receiver.on_request = lambda: None
    hook_sending.hooks_deliver()
    ids = receiver.ids
    assert len(set(ids)) == 4
    assert {path for path, _headers, _body in receiver.requests} == {f"/{number}" for number in range(4)}
    assert max(map(ids.count, ids)) <= 2
    assert len(ids) >= 4 + received
    assert not HookDelivery.objects.exclude(delivered_at__isnull=False).exists()
    assert not HookEvent.objects.exists()
