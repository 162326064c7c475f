from __future__ import annotations

import os
import stat

import pytest

from questionbank.core import locations
from questionbank.local import EmbeddedError
from questionbank.local.server import folder_for, open_log, own_folder


def mode(path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_has_exactly_its_mode_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        own_folder(tmp_path / "new", 0o711)
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o711


def test_an_existing_folder_is_narrowed_and_never_widened(tmp_path):
    (tmp_path / "wide").mkdir(mode=0o755)
    (tmp_path / "narrow").mkdir(mode=0o700)
    own_folder(tmp_path / "wide", 0o700)
    own_folder(tmp_path / "narrow", 0o711)
    assert mode(tmp_path / "wide") == 0o700
    assert mode(tmp_path / "narrow") == 0o700


def test_a_link_or_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "file").touch()
    for name in ("link", "file"):
        with pytest.raises(EmbeddedError, match="in the way"):
            own_folder(tmp_path / name, 0o700)


def test_a_folder_of_somebody_else_in_the_temporary_state_folder_is_refused(needs_root, open_folder):
    squatted = locations.state_parent()
    squatted.mkdir()
    os.chown(squatted, 65534, 65534)
    with pytest.raises(EmbeddedError, match="belongs to nobody"):
        folder_for(locations.state_folder(open_folder) / "postgres", 0o711)


def test_a_log_that_has_grown_large_is_put_aside(tmp_path):
    with open_log(tmp_path / "logs" / "web.log", max_bytes=10) as log:
        log.write(b"more than ten bytes\n")
    with open_log(tmp_path / "logs" / "web.log", max_bytes=10) as log:
        log.write(b"new\n")
    assert (tmp_path / "logs" / "web.log").read_bytes() == b"new\n"
    assert mode(tmp_path / "logs" / "web.log") == 0o600
    assert (tmp_path / "logs" / "web.log.1").read_bytes() == b"more than ten bytes\n"
