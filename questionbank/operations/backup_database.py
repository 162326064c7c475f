"""The database's part of backups: dump it, restore a dump next to it, and swap the two.

pg_dump and pg_restore come from the embedded server's wheel, or from the system if the server at
`DATABASE_URL` needs another version. A dump is restored into a separate database, checked there, and then
renamed to the bank's name in one transaction, so that any earlier failure leaves the bank unchanged.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection, connections, transaction
from psycopg import pq, sql
from psycopg.conninfo import make_conninfo

from questionbank.core.env import var_dir
from questionbank.core.errors import Conflict, EmbeddedError, KindredError, ServiceUnavailable
from questionbank.core.locations import postgres_location
from questionbank.core.outage import database_awaited

# Rows that are useless later, or dangerous in a stolen file: sessions are logins.
NOT_DUMPED = ("django_session", "usersessions_usersession", "questionbank_workerheartbeat")
RESTORE_SETTINGS = "-c maintenance_work_mem=512MB -c synchronous_commit=off"
SWAP_SECONDS = 20.0
SERVER_SECONDS = 20.0  # how long a restore that lost the server waits for it, to clean up
LEFTOVER = "kindred: of a restore, may be dropped"  # comment on a database
RESTORE_LOCK = 0x4B494E45  # key of an advisory lock in the maintenance database
_LIBPQ_KEYWORDS = {option.keyword.decode() for option in pq.Conninfo.get_defaults()} - {"password"}
_SYSTEM_FOLDERS = "/usr/lib/postgresql"  # Debian installs every major version's programs below it


def server_version() -> str:
    """Return the server's version, such as ``18.4``."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        return str(cursor.fetchone()[0]).split()[0]


@contextmanager
def snapshot() -> Iterator[str]:
    """Open a read-only transaction and yield its snapshot's name, so that pg_dump sees exactly what we see."""
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        yield cursor.fetchone()[0]


def row_counts(*, tables: Sequence[str]) -> dict[str, int]:
    """Return the number of rows in each of the tables that exist."""
    present = set(connection.introspection.table_names())
    counts = {}
    with connection.cursor() as cursor:
        for table in sorted(present & set(tables)):
            cursor.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table)))
            counts[table] = int(cursor.fetchone()[0])
    return counts


def database_dump(*, path: Path, snapshot_name: str) -> None:
    """Dump the bank to `path` in pg_dump's custom format.

    Raises:
        ServiceUnavailable: no pg_dump for this server's version is installed.
        KindredError: pg_dump failed.
    """
    excluded = [f"--exclude-table-data=public.{table}" for table in NOT_DUMPED]
    options = ["--format=custom", "--compress=1", "--no-owner", "--no-privileges", "--no-comments"]
    _run(
        [_tool("pg_dump"), *options, *excluded, f"--snapshot={snapshot_name}", f"--file={path}"],
        database=_parameters()["dbname"],
    )


def database_restore(*, path: Path, database: str) -> None:
    """Restore a dump into an empty database; indexes, including those of vectors, are rebuilt.

    Raises:
        ServiceUnavailable: no pg_restore for this server's version is installed.
        KindredError: the dump is incompatible with this server.
    """
    jobs = min(4, os.cpu_count() or 1)
    options = ["--exit-on-error", "--no-owner", "--no-privileges", f"--jobs={jobs}"]
    _run([_tool("pg_restore"), *options, str(path)], database=database, settings=RESTORE_SETTINGS)
    with _connect(database) as fresh:
        fresh.execute("ANALYZE")


def database_bytes() -> int:
    """Return the size of the bank's database on the server's disk."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def database_users() -> int:
    """Return the number of other processes connected to the bank's database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND usename IS NOT NULL AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


@contextmanager
def fresh_database() -> Iterator[str]:
    """Yield an empty database next to the bank's; it is dropped at the end unless it was swapped in.

    Raises:
        Conflict: another restore is running.
        ServiceUnavailable: our role lacks the rights that a restore needs.
    """
    bank = _parameters()["dbname"]
    fresh = _restored(bank)
    with _connect_maintenance() as maintenance:
        locked = maintenance.execute("SELECT pg_try_advisory_lock(%s)", [RESTORE_LOCK]).fetchone()
        if not (locked and locked[0]):
            raise Conflict("Another restore is running.")
        _check_rights(maintenance, bank)
        _drop(maintenance, fresh)  # left by an interrupted restore
        maintenance.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(fresh)))
        _mark(maintenance, fresh, LEFTOVER)
        try:
            yield fresh
        finally:
            try:
                _drop(maintenance, fresh)
            except (
                psycopg.OperationalError
            ):  # the server went away; if it stays away, the next start drops the database
                if database_awaited(seconds=SERVER_SECONDS):
                    leftover_databases_drop()


def _check_rights(maintenance: psycopg.Connection[Any], bank: str) -> None:
    row = maintenance.execute(
        "SELECT r.rolsuper OR (r.rolcreatedb AND pg_has_role(d.datdba, 'MEMBER'))"
        " FROM pg_roles r, pg_database d WHERE r.rolname = current_user AND d.datname = %s",
        [bank],
    ).fetchone()
    if not (row and row[0]):
        raise ServiceUnavailable(
            "A restore makes a new database and renames it: the role in DATABASE_URL must own the bank's"
            " database and have the right CREATEDB."
        )


def database_swap(*, fresh: str) -> None:
    """Rename the restored database to the bank's name, in one transaction; the old one is renamed first.

    Connections to the bank are terminated; the site and its workers reconnect by themselves.

    Raises:
        Conflict: others remain connected, so that the bank cannot be replaced.
    """
    bank = _parameters()["dbname"]
    former = _former(bank)
    connections.close_all()
    deadline = time.monotonic() + SWAP_SECONDS
    with _connect_maintenance() as maintenance:
        _drop(maintenance, former)
        while True:
            try:
                maintenance.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IN (%s, %s)"
                    " AND usename IS NOT NULL",
                    [bank, fresh],
                )
                with maintenance.transaction():
                    _rename(maintenance, bank, former)
                    _mark(maintenance, former, LEFTOVER)
                    _rename(maintenance, fresh, bank)
                    _mark(maintenance, bank, None)
            except (psycopg.errors.ObjectInUse, psycopg.errors.InsufficientPrivilege) as error:
                if time.monotonic() > deadline:
                    raise Conflict(
                        "Others stay connected to the bank, so it cannot be replaced: stop the site and"
                        " its workers first."
                    ) from error
                time.sleep(0.2)
            else:
                break


def former_database_drop() -> None:
    """Drop the database that a swap has replaced; if that fails, the next restore drops it."""
    with suppress(psycopg.Error), _connect_maintenance() as maintenance:
        _drop(maintenance, _former(_parameters()["dbname"]))


def leftover_databases_drop() -> list[str]:
    """Drop databases left by interrupted restores, unless one is running, and return their names.

    Only databases marked by a restore are dropped: somebody else's with the same name is left alone.
    """
    bank = _parameters()["dbname"]
    with suppress(psycopg.Error, ServiceUnavailable), _connect_maintenance() as maintenance:
        locked = maintenance.execute("SELECT pg_try_advisory_lock(%s)", [RESTORE_LOCK]).fetchone()
        if not (locked and locked[0]):
            return []
        rows = maintenance.execute(
            "SELECT datname FROM pg_database WHERE datname = ANY(%s) AND shobj_description(oid, 'pg_database') = %s",
            [[_restored(bank), _former(bank)], LEFTOVER],
        ).fetchall()
        for (name,) in rows:
            _drop(maintenance, name)
        return [name for (name,) in rows]
    return []


def _mark(maintenance: psycopg.Connection[Any], database: str, comment: str | None) -> None:
    maintenance.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(database), sql.Literal(comment)))


def _restored(bank: str) -> str:
    return f"{bank[:50]}_restore"


def _former(bank: str) -> str:
    return f"{bank[:50]}_former"


@contextmanager
def connected_to(database: str) -> Iterator[None]:
    """Connect Django's default connection to another database of the server, to migrate it."""
    connection.close()
    settings, name = connection.settings_dict, connection.settings_dict["NAME"]
    settings["NAME"] = database
    try:
        yield
    finally:
        connection.close()
        settings["NAME"] = name


def _parameters() -> dict[str, Any]:
    return dict(connection.get_connection_params())


def _conninfo(database: str) -> str:
    """Return a connection string without the password, which must not appear on a command line."""
    parameters = {key: value for key, value in _parameters().items() if key in _LIBPQ_KEYWORDS}
    return make_conninfo("", **{**parameters, "dbname": database})


def _connect(database: str) -> psycopg.Connection[Any]:
    return psycopg.connect(_conninfo(database), password=_parameters().get("password"), autocommit=True)


def _connect_maintenance() -> psycopg.Connection[Any]:
    try:
        return _connect("postgres")
    except psycopg.OperationalError as error:
        raise ServiceUnavailable(
            "A restore needs to connect to the server's database 'postgres', and cannot."
        ) from error


def _drop(maintenance: psycopg.Connection[Any], database: str) -> None:
    maintenance.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))


def _rename(maintenance: psycopg.Connection[Any], old: str, new: str) -> None:
    maintenance.execute(sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(old), sql.Identifier(new)))


def _run(command: list[str], *, database: str, settings: str = "") -> None:
    environment: Mapping[str, str] = {
        "PATH": os.environ.get("PATH", os.defpath),
        "LC_ALL": "C",
        "PGPASSWORD": str(_parameters().get("password") or ""),
        "PGOPTIONS": settings,
        "PGCONNECT_TIMEOUT": "10",
    }
    finished = subprocess.run(
        [command[0], f"--dbname={_conninfo(database)}", *command[1:]],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if finished.returncode:
        lines = [line for line in finished.stderr.splitlines() if line.strip()]
        reason = next((line for line in lines if "error" in line.lower()), "it said nothing")
        raise KindredError(f"{Path(command[0]).name} failed: {reason.partition(': error: ')[2] or reason}")


def _tool(name: str) -> str:
    """Return the path of pg_dump or pg_restore for this server: its own major version, or else the next later one.

    Programs from version 17 on set `transaction_timeout` in every restore, which earlier servers reject.
    """
    server_major = int(server_version().partition(".")[0])
    programs: dict[int, str] = {}
    for path in _candidates(name):
        major = _major(path)
        if major >= server_major and (server_major >= 17 or major < 17):
            programs.setdefault(major, path)
    if not programs:
        raise ServiceUnavailable(
            f"The server is PostgreSQL {server_major} and no {name} is installed that fits it: install PostgreSQL's"
            f" client programs, version {server_major}."
        )
    return programs[min(programs)]


def _candidates(name: str) -> Iterator[str]:
    with suppress(EmbeddedError):
        yield str(postgres_location(var_dir()).binaries / name)
    if installed := shutil.which(name):
        yield installed
    yield from (str(path) for path in sorted(Path(_SYSTEM_FOLDERS).glob(f"*/bin/{name}")))


def _major(path: str) -> int:
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        return 0
    number = re.search(r"\) (\d+)", said)
    return int(number.group(1)) if number else 0
