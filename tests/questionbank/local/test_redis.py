from __future__ import annotations

import shutil
import stat

import pytest
from redis import Redis

from questionbank.core import locations
from questionbank.local import redis
from questionbank.local.server import is_alive


def client(var_dir) -> Redis:
    return Redis(unix_socket_path=str(locations.redis_location(var_dir).socket_path))


def test_it_answers_on_a_closed_socket_and_on_no_port(var_dir):
    pid = redis.start(var_dir)
    assert redis.status(var_dir) == pid
    with client(var_dir) as connection:
        settings = connection.config_get("*")
    assert (settings["port"], settings["appendonly"]) == ("0", "yes")
    socket_path = locations.redis_location(var_dir).socket_path
    assert stat.S_IMODE(socket_path.parent.stat().st_mode) == 0o700


def test_starting_twice_leaves_the_first_one_running(var_dir):
    assert redis.start(var_dir) == redis.start(var_dir)


@pytest.mark.parametrize("killed", [False, True])
def test_what_was_written_survives_a_stop_and_a_kill(var_dir, kill, killed):
    redis.start(var_dir)
    with client(var_dir) as connection:
        connection.set("kept", "yes")
    kill(redis.status(var_dir)) if killed else redis.stop(var_dir)
    redis.start(var_dir)
    with client(var_dir) as connection:
        assert connection.get("kept") == b"yes"


def test_a_truncated_file_is_read_as_far_as_it_goes(var_dir):
    redis.start(var_dir)
    with client(var_dir) as connection:
        connection.set("kept", "yes")
        connection.set("lost", "yes")
    redis.stop(var_dir)
    (file,) = locations.redis_location(var_dir).directory.glob("*.aof")
    file.write_bytes(file.read_bytes()[:-5])
    redis.start(var_dir)
    with client(var_dir) as connection:
        assert connection.mget("kept", "lost") == [b"yes", None]


def test_a_folder_deleted_under_a_running_server_begins_anew(other_var_dir):
    var_dir = other_var_dir("deleted")
    first = redis.start(var_dir)
    shutil.rmtree(var_dir)
    assert redis.start(var_dir) != first
    assert not is_alive(first)


def test_a_long_path_with_odd_characters_works(other_var_dir):
    var_dir = other_var_dir('it\'s a $(long) "path", truly/' * 4 + "var")
    redis.start(var_dir)
    with client(var_dir) as connection:
        assert connection.ping()
    redis.stop(var_dir)
    assert redis.status(var_dir) is None
