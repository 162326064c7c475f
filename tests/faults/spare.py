"""A replica and a pooler, as an installation of several machines has them."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from questionbank.embedded import postgres
from questionbank.embedded.locations import PostgresLocation, postgres_location
from tests.faults.instance import Instance, Skipped, administer, children_of
from tests.pooler import admit, pgbouncer, running_pooler


class Replica:
    """A streaming replica of an instance's PostgreSQL.

    Args:
        var_dir: a folder of its own.
    """

    def __init__(self, var_dir: Path, primary: PostgresLocation) -> None:
        self.location = postgres_location(var_dir)
        self._pid = postgres.start_replica(
            var_dir, f"postgres://postgres@/postgres?host={primary.socket_directory}"
        )

    def is_read(self) -> bool:
        """Return whether pages have been read from it."""
        statement = "SELECT sum(seq_scan + coalesce(idx_scan, 0)) FROM pg_stat_user_tables"
        return bool(administer(self.location, statement, self.location.database)[0][0])

    def kill(self) -> None:
        """Kill it with all its connections."""
        for pid in (self._pid, *children_of(self._pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextmanager
def spare_servers(instance: Instance) -> Iterator[Replica]:
    """Have pages come from a replica and all else go through PgBouncer; the supervisor starts again before and after.

    Raises:
        Skipped: PgBouncer is not installed.
    """
    if pgbouncer() is None:
        raise Skipped("PgBouncer is not installed")
    primary = postgres_location(instance.var_dir)
    if administer(primary, "SHOW wal_level") == [("minimal",)]:
        for setting in ("wal_level = replica", "max_wal_senders = 4"):
            administer(primary, f"ALTER SYSTEM SET {setting}")
        instance.restart_postgres()
        instance.value("SELECT 1")  # waits until it answers
    var_dir, folder = instance.var_dir.with_name("replica"), instance.folder / "pooler"
    folder.mkdir(exist_ok=True)
    admit(primary.home)
    administer(primary, "SELECT pg_reload_conf()")
    replica = Replica(var_dir, primary)
    try:
        with running_pooler(folder, str(primary.socket_directory)) as port:
            addresses = {
                "DATABASE_POOLER_URL": f"postgres://{primary.user}@127.0.0.1:{port}/{primary.database}",
                "DATABASE_REPLICA_URLS": f"postgres://{primary.user}@/{replica.location.socket_directory}/{primary.database}",
            }
            instance.environment |= addresses
            instance.restart()
            try:
                yield replica
            finally:
                for name in addresses:
                    del instance.environment[name]
        instance.restart()
    finally:
        replica.kill()
        shutil.rmtree(replica.location.home, ignore_errors=True)
        shutil.rmtree(var_dir, ignore_errors=True)
