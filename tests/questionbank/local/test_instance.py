from __future__ import annotations

import os
import socket

import pytest

from questionbank.local import AlreadyRunning, EmbeddedError
from questionbank.local.instance import Instance, free_port


def test_a_second_instance_is_told_who_runs_and_where(tmp_path):
    first = Instance(tmp_path)
    with pytest.raises(AlreadyRunning, match=f"process {os.getpid()}, still starting"):
        Instance(tmp_path)
    first.publish(port=8001)
    with pytest.raises(AlreadyRunning, match=rf"process {os.getpid()}, http://127\.0\.0\.1:8001/"):
        Instance(tmp_path)
    first.close()
    Instance(tmp_path).close()


def test_a_file_left_by_a_killed_instance_does_not_hinder(tmp_path):
    (tmp_path / "serve.lock").write_text('{"pid": 1, "po')
    Instance(tmp_path).close()


def test_an_instance_that_has_not_said_who_it_is_is_noticed_too(tmp_path):
    first = Instance(tmp_path)
    (tmp_path / "serve.lock").write_text("")
    with pytest.raises(AlreadyRunning, match="already runs in"):
        Instance(tmp_path)
    first.close()


def test_a_taken_port_gives_the_next_one():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert port < free_port(port) <= port + 100


def test_no_port_left_is_said():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 65535))
        taken.listen()
        with pytest.raises(EmbeddedError, match="No free port"):
            free_port(65535)
