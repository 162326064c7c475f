from __future__ import annotations

import os
import pwd
import shutil
import signal
import stat
import subprocess

import psycopg
import pytest

from questionbank.core import locations
from questionbank.local import EmbeddedError, postgres
from questionbank.local.server import is_alive


def children_of(pid: int) -> list[int]:
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=True).stdout
    return [int(child) for child in listed.split()]


def test_the_database_has_pgvector_and_a_locale_of_its_own(var_dir, connect):
    pid = postgres.start(var_dir)
    assert postgres.status(var_dir) == pid
    with connect(var_dir) as connection:
        version, locale, listens, durable = connection.execute(
            "SELECT extversion, datlocprovider::text || ':' || datlocale,"
            " current_setting('listen_addresses'), current_setting('fsync') FROM pg_extension, pg_database"
            " WHERE extname = 'vector' AND datname = current_database()"
        ).fetchone()
    assert tuple(map(int, version.split("."))) >= (0, 8, 4)
    assert (locale, listens, durable) == ("b:C.UTF-8", "", "on")


def test_its_role_may_create_databases_with_pgvector_and_is_no_superuser(var_dir, connect):
    postgres.start(var_dir)
    with connect(var_dir) as connection:
        assert not connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = 'kindred'").fetchone()[0]
        connection.execute("CREATE DATABASE another")
    with connect(var_dir, dbname="another") as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("CREATE TABLE points (place vector(3))")
    with connect(var_dir) as connection:
        connection.execute("DROP DATABASE another")


def test_only_its_owner_and_we_may_connect(needs_root, var_dir):
    postgres.start(var_dir)
    location = locations.postgres_location(var_dir)
    status = location.socket_directory.stat()
    assert stat.S_IMODE(status.st_mode) == 0o700
    assert status.st_uid == pwd.getpwnam("nobody").pw_uid
    refused = subprocess.run(
        [location.binaries / "psql", "-h", location.socket_directory, "-U", "kindred", "-c", "SELECT 1"],
        user="nobody",
        cwd="/",
        capture_output=True,
        text=True,
    )
    assert "Peer authentication failed" in refused.stderr


def test_starting_twice_leaves_the_first_one_running(var_dir):
    assert postgres.start(var_dir) == postgres.start(var_dir)


def test_stopping_ends_it_though_somebody_is_connected(var_dir, connect):
    pid = postgres.start(var_dir)
    with connect(var_dir) as connection:
        postgres.stop(var_dir)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
    assert postgres.status(var_dir) is None
    assert not is_alive(pid)


def test_a_killed_postmaster_is_started_again_with_what_was_committed(var_dir, connect, kill):
    pid = postgres.start(var_dir)
    with connect(var_dir) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (number int)")
        connection.execute("INSERT INTO kept VALUES (1)")
        kill(pid)
    assert postgres.start(var_dir) != pid
    with connect(var_dir) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1,)
        connection.execute("DROP TABLE kept")


def test_it_starts_while_children_of_a_killed_postmaster_still_run(var_dir, connect, kill):
    pid = postgres.start(var_dir)
    with connect(var_dir) as connection:
        busy = connection.execute("SELECT pg_backend_pid()").fetchone()[0]
        os.kill(busy, signal.SIGSTOP)
        kill(pid)
        release = subprocess.Popen(["sh", "-c", f"sleep 1; kill -CONT {busy}"])
        assert postgres.start(var_dir) != pid
        assert release.wait() == 0
        assert not is_alive(busy)


@pytest.mark.parametrize("half_written", ["", "1234", "not a number\n"])
def test_a_half_written_pid_file_does_not_hinder(var_dir, half_written):
    location = locations.postgres_location(var_dir)
    postgres.start(var_dir)
    postgres.stop(var_dir)
    (location.data_directory / "postmaster.pid").write_text(half_written)
    (location.socket_directory / ".s.PGSQL.5432.lock").write_text(half_written)
    assert postgres.start(var_dir)


def test_the_pid_file_of_a_crash_whose_number_is_another_process_now_does_not_hinder(var_dir, kill):
    pid = postgres.start(var_dir)
    pid_file = locations.postgres_location(var_dir).data_directory / "postmaster.pid"
    complete = pid_file.read_text()
    for process in (pid, *children_of(pid)):
        kill(process)
    bystander = subprocess.Popen(["sleep", "60"], user=pid_file.stat().st_uid if os.geteuid() == 0 else None)
    try:
        pid_file.write_text(complete.replace(str(pid), str(bystander.pid), 1))
        assert postgres.start(var_dir) != bystander.pid
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_data_of_another_version_are_refused_in_one_sentence(var_dir):
    postgres.start(var_dir)
    postgres.stop(var_dir)
    version = locations.postgres_location(var_dir).data_directory / "PG_VERSION"
    ours = version.read_text()
    version.write_text("17\n")
    try:
        with pytest.raises(EmbeddedError, match="was written by PostgreSQL 17"):
            postgres.start(var_dir)
    finally:
        version.write_text(ours)


def test_a_replica_of_an_earlier_release_is_refused_in_one_sentence(var_dir):
    postgres.start(var_dir)
    postgres.stop(var_dir)
    signal_file = locations.postgres_location(var_dir).data_directory / "standby.signal"
    signal_file.touch()
    with pytest.raises(EmbeddedError, match="is a streaming replica, which Kindred no longer runs"):
        postgres.start(var_dir)
    signal_file.unlink()


def test_data_in_a_folder_that_was_closed_since_are_refused_and_not_begun_anew(needs_root, var_dir):
    postgres.start(var_dir)
    postgres.stop(var_dir)
    var_dir.chmod(0o700)
    try:
        with pytest.raises(EmbeddedError, match="can no longer enter"):
            postgres.start(var_dir)
    finally:
        var_dir.chmod(0o755)


def test_a_failing_start_says_what_postgres_said(var_dir):
    postgres.start(var_dir)
    postgres.stop(var_dir)
    settings = locations.postgres_location(var_dir).data_directory / "postgresql.auto.conf"
    before = settings.read_text()
    settings.write_text("shared_buffers = 'much'\n")
    try:
        with pytest.raises(
            EmbeddedError, match=r"did not start: configuration file .* contains errors \(see .*postgres\.log"
        ):
            postgres.start(var_dir)
    finally:
        settings.write_text(before)


def test_a_folder_deleted_under_a_running_server_begins_anew(other_var_dir):
    var_dir = other_var_dir("deleted")
    first = postgres.start(var_dir)
    while var_dir.exists():  # the server still writes
        shutil.rmtree(var_dir, ignore_errors=True)
    assert postgres.start(var_dir) != first
    assert not is_alive(first)
    postgres.stop(var_dir)
    assert postgres.start(var_dir), "the first one wrote into the files of the second"


def test_half_created_data_are_created_again(other_var_dir):
    var_dir = other_var_dir("half")
    new = locations.postgres_location(var_dir).data_directory.with_name("data.new")
    new.mkdir(parents=True)
    (new / "PG_VERSION").write_text("18\n")
    assert postgres.start(var_dir)


def test_a_long_path_with_odd_characters_works(other_var_dir, connect):
    var_dir = other_var_dir('it\'s a $(long) "path", truly/' * 4 + "var")
    var_dir.parent.mkdir(parents=True)
    postgres.start(var_dir)
    with connect(var_dir) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_root_in_a_closed_checkout_opens_no_folder(needs_root, other_var_dir, connect, monkeypatch, capfd):
    var_dir = other_var_dir("closed/var")
    closed = var_dir.parent
    closed.mkdir(mode=0o700)
    package = locations.postgres_location(var_dir).binaries.parents[1]
    for folder in (package, package.with_name(package.name + ".libs")):
        shutil.copytree(folder, closed / folder.name, ignore=shutil.ignore_patterns("pginstall", "include"))
    monkeypatch.setattr(locations, "_package_folder", lambda name: closed / name)

    postgres.start(var_dir)
    with connect(var_dir) as connection:
        connection.execute("CREATE TABLE points (place vector(3))")
    assert stat.S_IMODE(closed.stat().st_mode) == 0o700
    home = locations.postgres_location(var_dir).home
    assert f"PostgreSQL keeps its data in {home}" in capfd.readouterr().err
    assert closed not in home.parents
    postgres.stop(var_dir)
    assert postgres.start(var_dir)
    assert capfd.readouterr().err == ""


def test_an_ordinary_user_runs_it_as_itself(needs_root, other_var_dir):
    nobody = pwd.getpwnam("nobody")
    var_dir = other_var_dir("ordinary/var")
    var_dir.parent.mkdir(mode=0o700)
    os.chown(var_dir.parent, nobody.pw_uid, nobody.pw_gid)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setgroups([])
            os.setgid(nobody.pw_gid)
            os.setuid(nobody.pw_uid)
            postgres.start(var_dir)
            location = locations.postgres_location(var_dir)
            assert location.data_directory == var_dir / "postgres" / "data"
            with psycopg.connect(host=str(location.socket_directory), dbname="kindred", user="kindred"):
                pass
            postgres.stop(var_dir)
            code = 0
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    with pytest.raises(EmbeddedError, match="belongs to nobody and not to root"):
        postgres.start(var_dir)
