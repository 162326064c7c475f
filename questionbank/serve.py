"""`manage.py serve`: prepare the installation, then keep its processes running until Ctrl-C.

This process lives as long as the site, so it never loads Django's applications: a child process prepares the
installation while the site is being imported (decision 145).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from questionbank.core.env import BASE_DIR, environment, processes, var_dir
from questionbank.core.errors import KindredError
from questionbank.core.file_lock import Gate
from questionbank.core.storage import require_space
from questionbank.local import SERVICES, EmbeddedError, ensure, needs_embedded
from questionbank.local.die_with_parent import dying_with_us, give_way
from questionbank.local.instance import LITTLE_MEMORY, Instance, free_port, memory_bytes
from questionbank.local.programs import metrics_folder, programs, programs_of_machine
from questionbank.local.supervisor import Caretaker, Supervisor, page_answers
from questionbank.people.roles import DEMO_PEOPLE

PREPARE = (sys.executable, str(BASE_DIR / "manage.py"), "prepare")

_FIRST_START_BYTES = 2_400_000_000  # five models, unpacked and packed, and the database with the demo bank
_LEAST_MEMORY = 1_900_000_000  # bytes: with less, the kernel would kill the site
_INTERRUPTED = 130
_CARE_SECONDS = 1.0
_TICK_SECONDS = 0.2
_PATIENCE_SECONDS = 10.0  # waiting for an interrupted preparation to end
_SITE_SECONDS = 30.0  # waiting for the site's first answer; then the workers start anyway


def main(arguments: Sequence[str]) -> int:
    """Run `manage.py serve` with these arguments, and return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        if options.list:
            _say("\n".join(programs(var_dir(), host=options.host, port=environment("PORT"))))
        elif options.only:
            _become(options.only, options.host)
        else:
            return _Serving(options.host).run()
    except KeyboardInterrupt:
        return _interrupted()
    except (KindredError, EmbeddedError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 1
    return 0


def _parser() -> ArgumentParser:
    parser = ArgumentParser(prog="manage.py serve", description="Run the site, its workers and its clock until Ctrl-C.")
    parser.add_argument("--only", metavar="NAME", help="become this one process, on prepared servers")
    parser.add_argument("--list", action="store_true", help="name the processes")
    parser.add_argument("--host", default="127.0.0.1", help="address to bind (default: 127.0.0.1, behind a proxy)")
    return parser


def _interrupted() -> int:
    sys.stderr.write("Error: Interrupted while starting.\n")
    return _INTERRUPTED


def _say(line: str) -> None:
    with suppress(OSError):  # the terminal is gone; the logs are not
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()  # a pipe would buffer it


def _become(name: str, host: str) -> None:
    """Replace this process by one of the installation's.

    Raises:
        EmbeddedError: there is no such process, or the servers are not running.
    """
    known = programs(var_dir(), host=host, port=environment("PORT"))
    if name not in known:
        raise EmbeddedError(f"There is no process {name}; there are {', '.join(known)}.")
    for service in needs_embedded(os.environ):
        if SERVICES[service].status(var_dir()) is None:
            raise EmbeddedError(f"{service} does not run: set DATABASE_URL and REDIS_URL, or use `serve` alone.")
    if name == "web":
        collect = [sys.executable, "manage.py", "collectstatic", "--no-input", "--verbosity", "0"]
        if subprocess.run(collect, cwd=BASE_DIR, check=False).returncode:
            raise EmbeddedError("The static files were not collected.")
    metrics_folder(var_dir()).mkdir(parents=True, exist_ok=True)
    program = known[name]
    os.chdir(program.directory or ".")
    give_way(program.niceness)
    os.execvpe(program.command[0], [*program.command], {**os.environ, **program.environment})  # noqa: S606


class _Serving:
    """A whole installation on this machine: prepared, then kept running."""

    def __init__(self, host: str) -> None:
        self._var_dir = var_dir()
        self._instance = Instance(self._var_dir)
        services = needs_embedded(os.environ)
        if not (self._var_dir / "static").exists():  # created by the first start only
            require_space(self._var_dir, _FIRST_START_BYTES, what="The first start")
        few = _runs_few_processes()
        ensure(self._var_dir, services)
        shutil.rmtree(metrics_folder(self._var_dir), ignore_errors=True)  # left by processes that have ended
        metrics_folder(self._var_dir).mkdir()
        wanted = environment("PORT")
        self._port = free_port(wanted, host) if environment("DEMO") else wanted
        self._instance.publish(port=self._port)
        host_name = (environment("ALLOWED_HOSTS") or [""])[0].strip("*.") or "127.0.0.1"
        self._caretaker = Caretaker(
            self._var_dir,
            services,
            page_answers=partial(page_answers, self._port, host_name=host_name),
            on_answer=self._announce,
            echo=_say,
        )
        running = programs_of_machine(self._var_dir, host=host, port=self._port, few=few)
        self._supervisor = Supervisor(
            list(running.values()),
            self._var_dir / "logs",
            echo=self._echo,
            watch=self._watch,
            watch_seconds=0,
            held=[name for name in running if name != "web"],
        )
        self._gate = Gate(self._var_dir)
        self._preparation = subprocess.Popen(
            dying_with_us(PREPARE),
            stdin=subprocess.DEVNULL,
            cwd=BASE_DIR,
            env={"LOG_LEVEL": "WARNING", **os.environ},  # it prints its own progress
        )
        self._exit_code = 0
        self._is_answered = False
        self._care_at = 0.0
        self._prepared_at: float | None = None

    def run(self) -> int:
        """Run until told to stop, and return the exit code."""
        self._supervisor.run()
        if self._prepared_at is not None:
            _say("Kindred has stopped.")
            return 0
        self._preparation.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._preparation.wait(_PATIENCE_SECONDS)
        self._preparation.kill()
        self._preparation.wait()
        return self._exit_code or _interrupted()

    def _watch(self) -> None:
        """Watch the preparation until it ends; after that, watch the servers and whether the site answers."""
        if self._prepared_at is None:
            self._watch_preparation()
        elif time.monotonic() >= self._care_at:
            self._care_at = time.monotonic() + (_CARE_SECONDS if self._is_answered else _TICK_SECONDS)
            self._caretaker()
            if time.monotonic() > self._prepared_at + _SITE_SECONDS:
                self._supervisor.start_held()

    def _watch_preparation(self) -> None:
        code = self._preparation.poll()
        if code is None:
            return
        if code:
            self._exit_code = code if code > 0 else 1
            self._supervisor.stop()
            return
        self._prepared_at = time.monotonic()
        self._gate.open()

    def _echo(self, line: str) -> None:
        """Print a program's output, unless the preparation may be printing the same."""
        if self._prepared_at is not None:
            _say(line)

    def _announce(self) -> None:
        """Announce that the site answers, and start the workers, which would have slowed it down until now."""
        self._is_answered = True
        lines = [f"Kindred is ready: http://127.0.0.1:{self._port}/"]
        if environment("DEMO"):
            lines += [f"    {role}: {username} / {password}" for username, password, role in DEMO_PEOPLE]
        _say("\n".join(["", *lines, "    Ctrl-C stops it.", ""]))
        self._supervisor.start_held()


def _runs_few_processes() -> bool:
    """Return whether this machine should run few processes, and print so; warn if memory is too low even for that."""
    memory, chosen = memory_bytes(), processes()
    size = f"{memory / 1e9:.1f} GB of memory"
    if memory < _LEAST_MEMORY:
        _say(f"Kindred needs about 2 GB, and this machine has {size}: give it more, or expect interrupted jobs.")
    few = memory < LITTLE_MEMORY if chosen == "auto" else chosen == "few"
    if few:
        why = f"for {size}" if chosen == "auto" else "as PROCESSES says"
        _say(f"Kindred runs few processes, {why}: short and long jobs take turns.")
    return few
