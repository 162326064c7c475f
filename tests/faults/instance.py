"""A real Kindred in a folder of its own: servers, site, workers and clock under `manage.py serve`.

Only the demo bank and the default models are left out; the bank has the vectors of character n-grams. Everything is
asked by SQL and HTTP, as somebody outside would.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import psycopg

from questionbank.core.locations import PostgresLocation, postgres_location
from questionbank.local import SERVICES
from questionbank.local.die_with_parent import dying_with_us
from questionbank.local.instance import free_port
from questionbank.local.server import is_alive
from tests.faults.disk import Disk, NoDisk, own_disk
from tests.faults.guardian import guarded
from tests.serving import BASE_DIR, serve_command, serve_environment

PATIENCE_SECONDS = 180.0
START_SECONDS = 600.0  # servers and migrations, on a machine that does much else
LOG_IN = "/accounts/login/"
SESSION = "f" * 32  # of the person who does everything

PREPARE_PEOPLE = "from tests.faults.people import prepare_people; prepare_people()"
IMPORT = """
import sys
import django; django.setup()
from django.core.files.base import File
from questionbank.imports.options import ImportOptions
from questionbank.imports.services import import_kept, upload_keep
with open(sys.argv[1], "rb") as file:
    kept = upload_keep(upload=File(file), name=sys.argv[2], user=None, format="jsonl")
asked = import_kept(kept=kept, user=None, options=ImportOptions(format="jsonl", source="Faults"))
print(asked.pk, flush=True)
"""


class Skipped(Exception):
    """A fault is impossible on this machine; the message says why."""


class Instance:
    """One Kindred.

    Args:
        folder: a new folder that everybody may enter; it is removed by `running_instance`.
        disk: on which its `VAR_DIR` lies, or why it has none of its own.
    """

    def __init__(self, folder: Path, disk: Disk | NoDisk) -> None:
        self.folder, self.var_dir, self._disk = folder, folder / "disk" / "var", disk
        self.port = free_port(18100)
        self.environment = {**serve_environment(self.var_dir, self.port), "OMP_NUM_THREADS": "1"}
        self.supervisor: subprocess.Popen[bytes] | None = None
        self.is_restored = False  # in this round, from a backup: what was saved after it is lost
        self._asking: list[subprocess.Popen[str]] = []

    # --- processes --------------------------------------------------------------------------------

    def start(self, *, wait: bool = True) -> None:
        """Start the supervisor and, unless told otherwise, wait for the site."""
        with (self.folder / "serve.log").open("ab") as log:
            self.supervisor = subprocess.Popen(
                dying_with_us(serve_command(PREPARE_PEOPLE)), cwd=BASE_DIR, env=self.environment, stdout=log, stderr=log
            )
        if wait:
            wait_for(self._has_started, "the site", self.log, START_SECONDS)

    def _has_started(self) -> bool:
        assert self.supervisor is not None
        assert self.supervisor.poll() is None, f"Kindred did not start\n{self.log()}"
        return self.get("/questions/")[0] == 200

    def stop(self) -> None:
        """Stop everything and wait for it."""
        for asked in self._asking:
            asked.wait()
        if self.supervisor is not None:
            for pid in self.pids():
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)
            self.supervisor.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.supervisor.wait(timeout=60)
            self.supervisor.kill()
            self.supervisor.wait()
        for service in SERVICES.values():
            service.stop(self.var_dir)

    def restart(self) -> None:
        """Kill everything but the servers, and start it again."""
        self._kill_programs()
        self.start()

    def lose_power(self) -> None:
        """Kill the supervisor, its programs, and both servers with their children, all at once."""
        self._kill_programs(*(pid for name in SERVICES for pid in self.family(name)))
        wait_for(lambda: not any(map(self.server, SERVICES)), "the servers to end", self.log)

    def family(self, name: str) -> list[int]:
        """Return the process ids of a program or server and of its children, its own first; empty: it does not run."""
        pid = self.server(name) if name in SERVICES else self.program(name)
        return [] if pid is None else [pid, *children_of(pid)]

    def _kill_programs(self, *others: int) -> None:
        """Kill the supervisor, its programs and their children: one that lives on would answer as the new site."""
        assert self.supervisor is not None
        programs = [pid for program in self.pids() for pid in (program, *children_of(program))]
        self.supervisor.kill()
        for pid in (*programs, *others):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.supervisor.wait()
        wait_for(lambda: not any(map(is_alive, programs)), "the programs to end", self.log)

    def pids(self) -> list[int]:
        """The supervisor's children, which are web, workers and clock, in this order where none was restarted."""
        assert self.supervisor is not None
        return children_of(self.supervisor.pid)

    def program(self, name: str) -> int | None:
        """Process id of one program."""
        assert self.supervisor is not None
        return programs_of(self.supervisor.pid).get(name)

    def server(self, name: str) -> int | None:
        """Process id of ``postgres`` or ``redis``."""
        return SERVICES[name].status(self.var_dir)

    def disk(self) -> Disk:
        """Return the instance's own disk.

        Raises:
            Skipped: it has none.
        """
        if isinstance(self._disk, NoDisk):
            raise Skipped(str(self._disk))
        return self._disk

    def restart_postgres(self) -> None:
        """Have PostgreSQL end as an administrator would ("fast"); the supervisor starts it again.

        A server that is only just starting ignores the signal, so it is sent until the server has ended.
        """
        pid = self.server("postgres")

        def has_ended() -> bool:
            if pid is None or self.server("postgres") != pid:
                return True
            os.kill(pid, signal.SIGINT)
            return False

        wait_for(has_ended, "PostgreSQL to end", self.log)
        wait_for(lambda: self.server("postgres") not in (None, pid), "PostgreSQL to come back", self.log)

    def command(self, *words: str) -> subprocess.Popen[str]:
        """Start a command of `manage.py`."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "manage.py", *words],
            cwd=BASE_DIR,
            env=self.environment,
            stdout=pipe,
            stderr=pipe,
            text=True,
        )

    def finish(self, *words: str) -> tuple[int, str, str]:
        """Run a command to its end; returns its exit code, output and errors."""
        process = self.command(*words)
        output, errors = process.communicate()
        return process.returncode, output, errors

    # --- what people do -------------------------------------------------------------------------

    def get(self, path: str, timeout: float = 30.0) -> tuple[int, dict[str, str]]:
        """Read a page as somebody who is logged in; status 0 where nobody answers, 401 where the log-in does."""
        status, headers, _body = self.ask(path, timeout=timeout)
        return status, headers

    def ask(
        self, path: str, fields: dict[str, str] | None = None, timeout: float = 30.0
    ) -> tuple[int, dict[str, str], str]:
        """Read a page, or send a form; return the status (see `get`; 302 is not followed), headers and page."""
        token = "t" * 32
        headers = {"Cookie": f"sessionid={SESSION}; csrftoken={token}", "X-CSRFToken": token}
        body = None
        if fields is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urlencode(fields)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("GET" if body is None else "POST", path, body, headers)
            answer = connection.getresponse()
            page = answer.read().decode("utf-8", "replace")
        except (OSError, ValueError, http.client.HTTPException):
            return 0, {}, ""
        finally:
            connection.close()
        is_log_in = urlsplit(answer.getheader("Location") or "").path == LOG_IN
        return (401 if is_log_in else answer.status), dict(answer.headers), page

    def open_session(self) -> None:
        """Log the person in again, after a restore."""
        code = f"import django; django.setup(); {PREPARE_PEOPLE}"
        subprocess.run([sys.executable, "-c", code], cwd=BASE_DIR, env=self.environment, check=True)

    def import_questions(self, count: int, *, mark: str) -> int:
        """Ask for an import of new questions, as the page does; returns the job's number.

        Raises:
            AssertionError: it is never acknowledged; with the logs.
        """
        path = self.folder / f"{mark}.jsonl"
        rows = [{"text": f"What is {n} + {n + 7}? ({mark})"} for n in range(count)]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        words = [sys.executable, "-c", IMPORT, str(path), f"{mark}.jsonl"]
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:  # until it is acknowledged: one that was not has written nothing
            asked = subprocess.Popen(
                dying_with_us(words),
                cwd=BASE_DIR,
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert asked.stdout is not None
            with asked.stdout as written:
                number = written.readline()
            self._asking.append(asked)
            if number:  # the process itself takes longer to end than a quick import
                return int(number)
            time.sleep(1)
        raise AssertionError(f"nobody acknowledges an import\n{self.log()}")

    # --- what is true ---------------------------------------------------------------------------

    def sql(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Ask the bank, waiting for the server."""
        location = postgres_location(self.var_dir)
        address = {"host": str(location.socket_directory), "dbname": location.database, "user": location.user}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                with psycopg.connect(**address, autocommit=True, connect_timeout=5) as server:
                    return server.execute(statement, values or None).fetchall()
            except psycopg.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def value(self, statement: str, *values: Any) -> Any:
        """Ask the bank for one value."""
        [(value,)] = self.sql(statement, *values)
        return value

    def unfinished(self) -> int:
        """Return the number of jobs that wait or run."""
        return int(self.value("SELECT count(*) FROM questionbank_run WHERE state IN ('queued', 'running')"))

    def log(self) -> str:
        """Return the end of every log."""
        paths = [*self.folder.glob("*.log"), *sorted((self.var_dir / "logs").glob("*.log"))]
        written = [path for path in paths if path.exists()]
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-2000:]}" for path in written)


QUEUES = ("default", "light", "train")


def administer(location: PostgresLocation, statement: str) -> None:
    """Run a statement as the server's administrator."""
    address = {"host": str(location.socket_directory), "user": "postgres", "dbname": "postgres"}
    with psycopg.connect(**address, autocommit=True) as server:
        server.execute(statement)


def children_of(pid: int) -> list[int]:
    """Return the process ids of a process's children."""
    with suppress(OSError):
        threads = sorted(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    return []


def programs_of(supervisor: int) -> dict[str, int]:
    """Return the process id of each program that runs under a supervisor, by name."""
    marks = {b"gunicorn": "web", **{f"{q}@%h".encode(): f"worker-{q}" for q in QUEUES}}
    running = {}
    for pid in children_of(supervisor):
        with suppress(OSError):
            for word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
                if word in marks:
                    running[marks[word]] = pid
    return running


def wait_for(
    condition: Callable[[], object], what: str, log: Callable[[], str], seconds: float = PATIENCE_SECONDS
) -> float:
    """Wait until a condition holds, and return for how long.

    Raises:
        AssertionError: it does not in time; with the logs.
    """
    began = time.monotonic()
    while not condition():
        if time.monotonic() - began > seconds:
            raise AssertionError(f"waited {seconds:.0f} s in vain for {what}\n{log()}")
        time.sleep(0.1)
    return time.monotonic() - began


def broken_invariants(instance: Instance, imports: Mapping[int, int]) -> list[str]:
    """Return what is not as it must be once nothing runs any more, from SQL alone.

    Args:
        imports: job -> questions, of all imports that were acknowledged and not undone.
    """
    jobs = ", ".join(map(str, imports)) or "0"
    checks = {
        "jobs that need a person": (0, "SELECT count(*) FROM questionbank_run WHERE state IN ('failed', 'cancelled')"),
        "imports that succeeded": (
            len(imports),
            f"SELECT count(*) FROM questionbank_run WHERE id IN ({jobs}) AND kind = 'import' AND state = 'succeeded'",
        ),
        "imported questions": (
            sum(imports.values()),
            f"SELECT count(*) FROM questionbank_question WHERE import_run_id IN ({jobs})",
        ),
        "equal questions": (0, "SELECT count(*) - count(DISTINCT content_hash) FROM questionbank_question"),
        "questions without a vector": (
            0,
            "SELECT count(*) FROM questionbank_question q JOIN questionbank_embeddingset s ON s.lens = 'wording'"
            " WHERE s.is_current AND NOT EXISTS (SELECT FROM questionbank_questionembedding e WHERE"
            " e.embedding_set_id = s.id AND e.question_id = q.id AND e.content_hash = q.content_hash)",
        ),
        "models of a kind in use beside another": (
            0,
            "SELECT count(*) - count(DISTINCT (capability, scope)) FROM questionbank_modelartifact"
            " WHERE state = 'champion'",
        ),
        "jobs that hold a lease": (
            0,
            "SELECT count(*) FROM questionbank_run WHERE lease IS NOT NULL AND state <> 'running'",
        ),
        "databases of restores": (
            0,
            "SELECT count(*) FROM pg_database WHERE datname LIKE '%\\_restore' OR datname LIKE '%\\_former'",
        ),
    }
    broken = []
    for name, (expected, statement) in checks.items():
        count = instance.value(statement)
        if count != expected:
            broken.append(f"{name}: {count:,} and not {expected:,}")
    return broken


@contextmanager
def running_instance(start: Callable[[Instance], None] = Instance.start) -> Iterator[Instance]:
    """An instance, stopped and removed at the end, also where this process is killed."""
    folder = Path(tempfile.mkdtemp(prefix="kindred-faults-"))
    folder.chmod(0o755)
    (folder / "disk").mkdir()
    try:
        with guarded(folder), own_disk(folder / "disk") as disk:
            instance = Instance(folder, disk)
            try:
                start(instance)
                yield instance
            finally:
                instance.stop()
                shutil.rmtree(postgres_location(instance.var_dir).home, ignore_errors=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
