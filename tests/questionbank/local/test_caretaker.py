from __future__ import annotations

import http.server
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from questionbank.local import redis, supervisor
from questionbank.local.supervisor import Caretaker, page_answers


@pytest.fixture
def site():
    """A site that answers with the status its `answer` holds; yields it and its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        answer = 200
        asked_for = ""

        def do_GET(self):
            Handler.asked_for = self.headers["Host"]
            self.send_response(Handler.answer)
            self.end_headers()

        def log_message(self, *args):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Handler, server.server_port
        server.shutdown()
        thread.join()


def test_a_redirect_counts_as_an_answer_and_an_error_does_not(site):
    handler, port = site
    handler.answer = 302
    assert page_answers(port, host_name="school.example")
    assert handler.asked_for == "school.example"
    handler.answer = 500
    assert not page_answers(port)


def test_a_port_that_nobody_serves_gives_no_answer():
    assert not page_answers(1)


def test_the_first_answer_is_reported_once(tmp_path):
    answers = iter([False, True, True])
    reported = []
    caretaker = Caretaker(
        tmp_path, [], page_answers=lambda: next(answers), on_answer=lambda: reported.append("up"), echo=print
    )
    for expected in ([], ["up"], ["up"]):
        caretaker()
        assert reported == expected


def test_a_killed_server_is_started_again_and_said(var_dir, kill):
    first = redis.start(var_dir)
    said = []
    caretaker = Caretaker(var_dir, ["redis"], page_answers=lambda: False, on_answer=lambda: None, echo=said.append)
    caretaker()
    assert redis.status(var_dir) == first
    kill(first)
    caretaker()
    assert redis.status(var_dir) not in (None, first)
    assert said == ["redis has exited and is being restarted"]


def test_a_server_that_cannot_be_started_is_said_and_tried_again(tmp_path):
    (tmp_path / "redis").symlink_to("/dev/null")
    said = []
    caretaker = Caretaker(tmp_path, ["redis"], page_answers=lambda: False, on_answer=print, echo=said.append)
    caretaker()
    caretaker()
    assert said == ["redis has exited and is being restarted", "/dev/null is in the way: it is not a folder."] * 2


def test_a_stopped_server_goes_on(var_dir, monkeypatch, user_of):
    monkeypatch.setattr(supervisor, "_CHECK_SECONDS", 0)
    user_of(var_dir)
    said = []
    look = Caretaker(var_dir, ["redis"], page_answers=lambda: False, on_answer=lambda: None, echo=said.append)
    process = redis.status(var_dir)
    os.kill(process, signal.SIGSTOP)
    while "State:\tT" not in Path(f"/proc/{process}/status").read_text(encoding="utf-8"):
        time.sleep(0.01)
    look()
    assert said == ["redis was stopped and has been resumed"]
    look()
    assert len(said) == 1
