"""The embedded PostgreSQL as a streaming replica: copied once by pg_basebackup, then kept up to date by itself."""

import os
import pwd
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from analytics.atomic_file import written_aside
from analytics.errors import first_line
from questionbank.embedded.errors import EmbeddedError
from questionbank.embedded.folders import own_folder
from questionbank.embedded.locations import POSTGRES_MAJOR, PostgresLocation
from questionbank.embedded.server import run_as

# A replica does not start with less of these than its primary has.
_AS_PRIMARY = (
    "max_connections",
    "max_locks_per_transaction",
    "max_prepared_transactions",
    "max_wal_senders",
    "max_worker_processes",
    "wal_level",
)


def prepare(
    location: PostgresLocation,
    binaries: Path,
    user: pwd.struct_passwd | None,
    primary: str,
    *,
    listen: str,
) -> None:
    """Copy the primary's data unless a copy is there, and write how the replica is configured.

    Raises:
        EmbeddedError: the primary does not answer or may not be copied, or something else is in the folder.
    """
    try:
        address = {"connect_timeout": "5", **conninfo_to_dict(primary)}
        settings, system = _ask(address)
    except psycopg.Error as error:
        raise EmbeddedError(f"The primary does not answer: {first_line(error)}") from error
    data = location.data_directory
    if not data.exists():
        _copy(address, data, binaries, user)
    elif not (data / "standby.signal").exists():
        raise EmbeddedError(f"{data} holds a bank of its own: choose another VAR_DIR for the replica.")
    elif _system_identifier(data, binaries, user) != system:
        raise EmbeddedError(
            f"{data} is a replica of another server: move it away, and start again to copy this one."
        )
    settings |= {
        "primary_conninfo": make_conninfo("", **address),
        "hot_standby_feedback": "on",  # else the primary's VACUUM ends pages that are being read here
        "listen_addresses": listen,
    }
    configuration = location.home / "replica.conf"
    with written_aside(configuration, mode=0o600) as file:  # a password may stand there
        for name, value in settings.items():
            quoted = str(value).replace("\\", "\\\\").replace("'", "''")
            file.write(f"{name} = '{quoted}'\n".encode())
    if user is not None:
        os.chown(configuration, user.pw_uid, user.pw_gid)


def _ask(address: Mapping[str, Any]) -> tuple[dict[str, str], str]:
    """Return the primary's settings that the replica must have, and its system identifier."""
    with psycopg.connect(**address) as connection:
        major = connection.info.server_version // 10_000
        if str(major) != POSTGRES_MAJOR:
            raise EmbeddedError(
                f"The primary is PostgreSQL {major}; its replica here would be {POSTGRES_MAJOR}."
            )
        rows = connection.execute(
            "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", [list(_AS_PRIMARY)]
        ).fetchall()
        identifier = connection.execute("SELECT system_identifier::text FROM pg_control_system()").fetchone()
    settings = dict(rows)
    if settings["wal_level"] == "minimal":
        raise EmbeddedError(
            "The primary writes no log for replicas: set wal_level = replica and max_wal_senders there, and restart it."
        )
    return settings, identifier[0] if identifier else ""


def _copy(address: Mapping[str, Any], data: Path, binaries: Path, user: pwd.struct_passwd | None) -> None:
    new = data.with_name("data.new")  # a folder called `data` is always complete
    shutil.rmtree(new, ignore_errors=True)
    own_folder(new, 0o700)
    password = str(address.get("password") or "")
    where = make_conninfo("", **{key: value for key, value in address.items() if key != "password"})
    finished = subprocess.run(
        [str(binaries / "pg_basebackup"), f"--pgdata={new}", "--checkpoint=fast", f"--dbname={where}"],
        env={"PATH": os.defpath, "LC_ALL": "C", "PGPASSWORD": password},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if finished.returncode:
        shutil.rmtree(new, ignore_errors=True)
        said = [line for line in finished.stderr.splitlines() if "error:" in line] or ["it said nothing"]
        raise EmbeddedError(f"The primary cannot be copied: {said[0].rpartition('error: ')[2]}")
    (new / "standby.signal").touch()
    if user is not None:
        run_as(None, ["chown", "-R", f"{user.pw_uid}:{user.pw_gid}", str(new)])
    new.rename(data)


def _system_identifier(data: Path, binaries: Path, user: pwd.struct_passwd | None) -> str:
    said = run_as(user, [str(binaries / "pg_controldata"), str(data)]).stdout
    return next(
        line.rpartition(" ")[2] for line in said.splitlines() if line.startswith("Database system identifier")
    )
