"""A detached server process that any other process can find, and folders that nobody else can have tampered with.

The server is found by its command line, which contains its folder, rather than by a pid file, which may be stale after
a crash, incomplete, or refer to an unrelated process.
"""

import os
import pwd
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from analytics.atomic_file import written_aside
from questionbank.core.errors import EmbeddedError
from questionbank.core.locations import state_parent


def own_folder(path: Path, mode: int, owner: pwd.struct_passwd | None = None) -> None:
    """Create `path` with exactly `mode`, or check that it is its owner's folder and closed to others.

    Args:
        path: Its parent must exist.
        mode: For a new folder; an existing one is never widened.
        owner: The current user if None.

    Raises:
        EmbeddedError: Something else exists there, or it belongs to somebody else.
    """
    owner_id = os.geteuid() if owner is None else owner.pw_uid
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode):
            raise EmbeddedError(f"{path} is in the way: it is not a folder.") from None
        if status.st_uid != owner_id:
            raise EmbeddedError(
                f"{path} belongs to {_user_name(status.st_uid)} and not to {_user_name(owner_id)}: "
                "run Kindred as the user who started it, or choose another VAR_DIR."
            ) from None
        path.chmod(stat.S_IMODE(status.st_mode) & mode)
        return
    path.chmod(mode)  # before changing the owner: afterwards we lack permission
    if owner is not None:
        os.chown(path, owner.pw_uid, owner.pw_gid, follow_symlinks=False)


def folder_for(path: Path, mode: int, owner: pwd.struct_passwd | None = None) -> None:
    """Like `own_folder`, but also create missing parents."""
    passage = 0o711 if os.geteuid() == 0 else 0o700
    for parent in reversed(path.parents):
        if parent == state_parent() or state_parent() in parent.parents:
            own_folder(parent, passage)
    path.parent.mkdir(parents=True, exist_ok=True)
    own_folder(path, mode, owner)


def write_file(path: Path, text: str) -> None:
    """Write a file readable by all, via a temporary file, so that no reader sees it incomplete."""
    with written_aside(path, mode=0o644) as file:
        file.write(text.encode())


def open_log(path: Path, *, max_bytes: int = 10_000_000) -> BinaryIO:
    """Open a log readable only by us; one larger than `max_bytes` is first rotated to `<name>.1`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and path.stat().st_size > max_bytes:
        path.replace(path.with_name(path.name + ".1"))
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab", buffering=0)


def _user_name(user_id: int) -> str:
    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return f"user {user_id}"


START_TIMEOUT = 60.0
STOP_TIMEOUT = 60.0
_POLL_SECONDS = 0.02
# Started in the background of a shell that exits at once, so that it is not our child and leaves us no zombie.
_DETACH = '"$@" >&2 </dev/null & echo $!'
# Our own environment might contain PGHOST, PGDATA, a translated locale and so on.
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


_found: dict[tuple[str, ...], int] = {}  # command -> the process that ran it at the last lookup


@dataclass(frozen=True)
class Server:
    """One server.

    Attributes:
        label: Its name in messages.
        command: `(binary, option, folder, ...)`; the first three identify the server.
        marker: A file that exists while the server is healthy; without it, the server's folder was deleted.
        is_ready: Takes the process id; returns whether it responds.
        stop_signal: Requests an orderly shutdown.
        user: The user it runs as; the current user if None.
        transient: The message with which it fails if it cannot start yet, but will soon.
    """

    label: str
    command: tuple[str, ...]
    log: Path
    marker: Path
    is_ready: Callable[[int], bool]
    stop_signal: signal.Signals
    user: pwd.struct_passwd | None = None
    transient: str | None = None

    def pid(self) -> int | None:
        """Return the process id, or None if it is not running."""
        known = _found.get(self.command)
        if known is not None and self._is_process(
            known
        ):  # called every second, while scanning all processes takes long
            return known
        parents = {}
        for pid in _processes():
            with suppress(OSError):  # it exited during the scan
                if self._is_process(pid):
                    parents[pid] = _parent(pid)
        # A server's own children have its command line until they set their title.
        found = next((pid for pid, parent in parents.items() if parent not in parents), None)
        if found is not None:
            _found[self.command] = found
        return found

    def _is_process(self, pid: int) -> bool:
        """Return whether a process is the server, or a child of it that has not set its title yet."""
        user_id = os.geteuid() if self.user is None else self.user.pw_uid
        binary, option, folder = self.command[:3]
        wanted = [os.fsencode(part) for part in (Path(binary).name, option, folder)]
        try:
            program, *arguments = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[:3]
            ours = Path(f"/proc/{pid}").stat().st_uid == user_id
        except OSError:  # it has exited
            return False
        return ours and [os.fsencode(Path(os.fsdecode(program)).name), *arguments] == wanted

    def start(self, prepare: Callable[[], None] | None = None) -> int:
        """Start it if it is not running, and wait until it responds. The caller must hold the server's start lock.

        Args:
            prepare: Called before each launch, once the server is known not to be running.

        Raises:
            EmbeddedError: It exited, or did not respond in time.
        """
        deadline = time.monotonic() + START_TIMEOUT
        pid = self.pid()
        with open_log(self.log) as log:
            while time.monotonic() < deadline:
                begin = log.seek(0, os.SEEK_END)
                if pid is None:
                    if prepare is not None:
                        prepare()
                    pid = self._launch(log.fileno())
                while is_alive(pid) and time.monotonic() < deadline:
                    if self.is_ready(pid):
                        return pid
                    time.sleep(_POLL_SECONDS)
                said = _read_from(self.log, begin)
                if not is_alive(pid) and not (self.transient and self.transient in said):
                    raise EmbeddedError(f"{self.label} did not start: {_reason(said)} (see {self.log})")
                pid = None
                time.sleep(0.2)
        raise EmbeddedError(f"{self.label} did not answer within {START_TIMEOUT:.0f} seconds (see {self.log}).")

    def end_lost(self) -> None:
        """Stop a server with a deleted folder before a new one is created, since it still writes there."""
        pid = self.pid()
        if pid is not None and not self.marker.exists():
            self._end(pid, patience=5)

    def wake(self) -> bool:
        """Continue the server and its children if any are stopped (SIGSTOP); return whether any were."""
        pid = self.pid()
        stopped = [] if pid is None else [process_id for process_id in (pid, *_children(pid)) if is_stopped(process_id)]
        for process_id in stopped:
            with suppress(ProcessLookupError):
                os.kill(process_id, signal.SIGCONT)
        return bool(stopped)

    def stop(self) -> None:
        """Stop it if it is running, and wait until it has exited. The caller must hold the server's start lock.

        Raises:
            EmbeddedError: It did not exit.
        """
        pid = self.pid()
        if pid is not None:
            self._end(pid, patience=STOP_TIMEOUT)

    def _end(self, pid: int, *, patience: float) -> None:
        family = [pid, *_children(pid)]
        for number, members in ((self.stop_signal, [pid]), (signal.SIGKILL, family)):
            for member in members:
                with suppress(ProcessLookupError):
                    os.kill(member, number)
            deadline = time.monotonic() + patience
            while time.monotonic() < deadline:
                if not any(is_alive(member) for member in family):
                    return
                time.sleep(_POLL_SECONDS)
        raise EmbeddedError(f"{self.label} (process {pid}) did not exit.")

    def _launch(self, log: int) -> int:
        completed = run_as(self.user, ["/bin/sh", "-c", _DETACH, "sh", *self.command], stderr=log)
        return int(completed.stdout)


def run_as(
    user: pwd.struct_passwd | None,
    command: Sequence[str],
    *,
    stderr: int = subprocess.PIPE,
    text_input: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a command as `user`, unaffected by the terminal's Ctrl-C.

    Raises:
        EmbeddedError: We may not switch to that user.
        subprocess.CalledProcessError: The command failed.
    """
    try:
        return subprocess.run(
            command,
            check=True,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            errors="replace",
            cwd="/",
            env=_ENVIRONMENT,
            start_new_session=True,
            input=text_input or "",
            user=None if user is None else user.pw_uid,
            group=None if user is None else user.pw_gid,
            extra_groups=None if user is None else [],
        )
    except PermissionError as error:
        who = "" if user is None else f" as {user.pw_name}"
        raise EmbeddedError(f"{command[0]} cannot be run{who}: {error.strerror}.") from error


def is_alive(pid: int) -> bool:
    """Return whether a process is running; a zombie is not."""
    try:
        return _stat_fields(pid)[0] not in ("Z", "X")
    except OSError:
        return False


def is_stopped(pid: int) -> bool:
    """Return whether a process is stopped by a signal."""
    try:
        return _stat_fields(pid)[0] == "T"
    except OSError:
        return False


def stopped_processes() -> dict[int, list[int]]:
    """Return the stopped processes (SIGSTOP) by session, except those stopped by a debugger."""
    stopped: dict[int, list[int]] = {}
    for pid in _processes():
        with suppress(OSError, IndexError):
            fields = _stat_fields(pid)
            if fields[0] == "T":
                stopped.setdefault(int(fields[3]), []).append(pid)
    return stopped


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _children(pid: int) -> list[int]:
    children = []
    for process in _processes():
        with suppress(OSError):
            if _parent(process) == pid:
                children.append(process)
    return children


def _parent(pid: int) -> int:
    return int(_stat_fields(pid)[1])


def _stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat from the state on; the earlier ones may contain spaces and brackets."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _read_from(path: Path, position: int) -> str:
    with path.open("rb") as file:
        file.seek(position)
        return file.read().decode(errors="replace")


def _reason(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    fatal = [line[line.index("FATAL:") + 6 :].strip() for line in lines if "FATAL:" in line]
    return (fatal or lines or ["it said nothing"])[-1]
