"""Who uses a server: the last process to use it stops it.

Every process that uses a server holds a shared lock on `VAR_DIR/<service>.lock`. At exit it tries to get the exclusive
lock and stops the server only if it succeeds immediately. The kernel releases the locks of a killed process; its server
then runs until the next user exits.
"""

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import FrameType

from questionbank.core.errors import EmbeddedError
from questionbank.core.file_lock import FileLock
from questionbank.local import postgres, redis

SERVICES = {"postgres": postgres, "redis": redis}
_ADDRESSES = {"postgres": "DATABASE_URL", "redis": "REDIS_URL"}
_ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_STOPPING_TIMEOUT = 90.0  # how long to wait for another process that is currently stopping the server

_held: dict[tuple[Path, str], FileLock] = {}
_registered = False


def needs_embedded(environ: Mapping[str, str]) -> frozenset[str]:
    """Return the services for which the environment specifies no server."""
    return frozenset(service for service, variable in _ADDRESSES.items() if not environ.get(variable))


def ensure(var_dir: Path | str, services: Iterable[str] = ("postgres", "redis")) -> None:
    """Start the `services` that are not running and hold them until this process exits; idempotent.

    Raises:
        EmbeddedError: A server cannot be started; the message says why.
    """
    if not sys.platform.startswith("linux"):
        raise EmbeddedError("The embedded servers run on Linux only: set DATABASE_URL and REDIS_URL.")
    var_dir = Path(var_dir).resolve()
    _register()
    try:
        for service in sorted(services):
            _hold(var_dir, service)
            SERVICES[service].start(var_dir)
    except OSError as error:
        where = error.filename or var_dir
        raise EmbeddedError(f"The embedded servers cannot use {where}: {error.strerror}.") from error


def release(only: Path | None = None) -> None:
    """Release the servers held by this process (for one VAR_DIR, or all) and stop those without other users."""
    for (var_dir, service), lock in list(_held.items()):
        if only is not None and var_dir != only.resolve():
            continue
        del _held[var_dir, service]
        try:
            if lock.acquire():
                SERVICES[service].stop(var_dir)
        except (EmbeddedError, OSError) as error:
            sys.stderr.write(f"kindred: {error}\n")
        finally:
            lock.close()


def _hold(var_dir: Path, service: str) -> None:
    if (var_dir, service) in _held:
        return
    lock = FileLock(var_dir / f"{service}.lock")
    if not lock.acquire(shared=True, timeout=_STOPPING_TIMEOUT):
        lock.close()
        raise EmbeddedError(f"Another process has been stopping {service} for over {_STOPPING_TIMEOUT:.0f} seconds.")
    _held[var_dir, service] = lock


def _register() -> None:
    global _registered
    if _registered:
        return
    _registered = True
    atexit.register(release)
    os.register_at_fork(after_in_child=_forget)
    if threading.current_thread() is threading.main_thread():
        for number in _ENDING_SIGNALS:
            if signal.getsignal(number) is signal.SIG_DFL:  # the default would end us without `release`
                signal.signal(number, _exit)


def _exit(number: int, _frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _forget() -> None:
    """Stop counting a forked child as a user, or it would keep its parent's lock and release it at its own exit."""
    for lock in _held.values():
        lock.close()
    _held.clear()
    for number in _ENDING_SIGNALS:
        if signal.getsignal(number) is _exit:
            signal.signal(number, signal.SIG_DFL)
