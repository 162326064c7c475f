"""Logs on a full disk, and logs that grow."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from questionbank.local import programs
from questionbank.local.programs import Log, rotate_in_place

FULL = Path("/dev/full")  # every write fails with "No space left on device"


@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")
def test_lines_that_cannot_be_written_are_counted_and_said_when_there_is_space_again(tmp_path):
    path = tmp_path / "web.log"
    path.symlink_to(FULL)
    log = Log(path)
    log.write(b"lost")
    log.write(b"lost too")
    path.unlink()
    log.close()
    log.write(b"kept")
    log.write(b"kept too")
    log.close()
    said = "2 lines are missing here: they could not be written\nkept\nkept too\n"
    assert path.read_text() == said


def test_a_log_whose_folder_cannot_be_made_raises_nothing(tmp_path):
    (tmp_path / "logs").write_text("in the way")
    log = Log(tmp_path / "logs" / "web.log")
    log.write(b"lost")
    (tmp_path / "logs").unlink()
    log.write(b"kept")
    log.close()
    assert (tmp_path / "logs" / "web.log").read_text().endswith("kept\n")


def test_a_log_is_put_aside_while_its_program_runs(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "MAX_LOG_BYTES", 20)
    log = Log(tmp_path / "web.log")
    for number in range(5):
        log.write(b"line %d, ten." % number)
    log.close()
    assert (tmp_path / "web.log.1").read_text() == "line 2, ten.\nline 3, ten.\n"
    assert (tmp_path / "web.log").read_text() == "line 4, ten.\n"


def test_the_log_of_a_server_is_emptied_under_it(tmp_path, monkeypatch):
    monkeypatch.setattr(programs, "MAX_LOG_BYTES", 20)
    path = tmp_path / "postgres.log"
    server = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(server, b"a line of some length\n")
    rotate_in_place(path)
    os.write(server, b"next\n")
    os.close(server)
    assert path.read_text() == "next\n"
    assert path.with_name("postgres.log.1").read_text() == "a line of some length\n"
