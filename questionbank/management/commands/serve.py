"""Run everything: servers, site, workers and clock. `make run` and the containers use it."""

from __future__ import annotations

import os
import shutil
from argparse import ArgumentParser
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connections

from questionbank.demo.people import DEMO_PEOPLE
from questionbank.disk import require_space
from questionbank.embedded import SERVICES, ensure, needs_embedded, postgres
from questionbank.embedded.caretaker import Caretaker, page_answers
from questionbank.embedded.die_with_parent import give_way
from questionbank.embedded.instance import Instance, free_port
from questionbank.embedded.locations import postgres_location
from questionbank.embedded.programs import metrics_folder, programs
from questionbank.embedded.supervisor import Supervisor
from questionbank.management.base import BankCommand
from questionbank.selectors.registry.health import require_object_store
from questionbank.services.backups import leftovers_clear

_FIRST_START_BYTES = 2_400_000_000  # five models, as they are and packed, and the database with the demo bank


class Command(BankCommand):
    """Prepares the installation, then keeps its processes running until Ctrl-C."""

    help = "Run the site, its workers and its clock until Ctrl-C."
    requires_system_checks = ("capabilities",)
    servers: ClassVar[tuple[str, ...]] = ()  # started here, once it is known that nobody else runs

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--only", metavar="NAME", help="become this one process, on prepared servers")
        parser.add_argument(
            "--replica",
            metavar="OF",
            help="keep a replica of the PostgreSQL at this address, and run nothing else",
        )
        parser.add_argument("--list", action="store_true", help="name the processes")
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to bind (default: 127.0.0.1, behind a proxy)"
        )

    def handle(self, *args: Any, only: str | None, host: str, **options: Any) -> None:
        """Run."""
        if options["list"]:
            self.stdout.write("\n".join(programs(settings.VAR_DIR, host=host, port=settings.PORT)))
        elif only:
            self._become(only, host)
        elif options["replica"]:
            self._replicate(options["replica"], host)
        else:
            try:
                self._serve(host)
            except KeyboardInterrupt:
                raise CommandError("Interrupted while starting.", returncode=130) from None

    def _become(self, name: str, host: str) -> None:
        processes = programs(settings.VAR_DIR, host=host, port=settings.PORT)
        if name not in processes:
            raise CommandError(f"There is no process {name}; there are {', '.join(processes)}.")
        for service in needs_embedded(os.environ):
            if SERVICES[service].status(settings.VAR_DIR) is None:
                raise CommandError(
                    f"{service} does not run: set DATABASE_URL and REDIS_URL, or use `serve` alone."
                )
        if name == "web":
            call_command("collectstatic", interactive=False, verbosity=0)
        metrics_folder(settings.VAR_DIR).mkdir(parents=True, exist_ok=True)
        program = processes[name]
        os.chdir(program.directory or ".")
        give_way(program.niceness)
        os.execvpe(program.command[0], [*program.command], {**os.environ, **program.environment})  # noqa: S606

    def _serve(self, host: str) -> None:
        instance = Instance(settings.VAR_DIR)
        services = needs_embedded(os.environ)
        if not (settings.VAR_DIR / "static").exists():  # made by the first start, and by no command
            require_space(settings.VAR_DIR, _FIRST_START_BYTES, what="The first start")
        ensure(settings.VAR_DIR, services)
        call_command("migrate", interactive=False, verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        require_object_store()
        for name in leftovers_clear():
            self._say(f"Removed {name}, which a killed process left.")
        call_command("setup_bank")
        connections.close_all()
        shutil.rmtree(
            metrics_folder(settings.VAR_DIR), ignore_errors=True
        )  # figures of processes that have ended
        metrics_folder(settings.VAR_DIR).mkdir()
        port = free_port(settings.PORT, host) if settings.DEMO else settings.PORT
        instance.publish(port=port)
        host_name = settings.ALLOWED_HOSTS[0].strip("*.") or "127.0.0.1"
        caretaker = Caretaker(
            settings.VAR_DIR,
            services,
            page_answers=partial(page_answers, port, host_name=host_name),
            on_answer=partial(self._announce, port),
            echo=self._say,
        )
        processes = programs(settings.VAR_DIR, host=host, port=port)
        logs = settings.VAR_DIR / "logs"
        Supervisor(list(processes.values()), logs, echo=self._say, watch=caretaker, watch_seconds=1).run()
        self._say("Kindred has stopped.")

    def _replicate(self, primary: str, host: str) -> None:
        Instance(settings.VAR_DIR)
        postgres.start_replica(settings.VAR_DIR, primary, listen="" if host == "127.0.0.1" else host)
        services = ["postgres"]
        ensure(settings.VAR_DIR, services)
        self._say(f"The replica answers at {postgres_location(settings.VAR_DIR).socket_directory}.")
        caretaker = Caretaker(
            settings.VAR_DIR, services, page_answers=lambda: True, on_answer=lambda: None, echo=self._say
        )
        Supervisor([], settings.VAR_DIR / "logs", echo=self._say, watch=caretaker, watch_seconds=1).run()
        self._say("The replica has stopped.")

    def _announce(self, port: int) -> None:
        lines = [f"Kindred is ready: http://127.0.0.1:{port}/"]
        if settings.DEMO:
            lines += [f"    {role}: {username} / {password}" for username, password, role in DEMO_PEOPLE]
        self._say("\n".join(["", *lines, "    Ctrl-C stops it.", ""]))

    def _say(self, line: str) -> None:
        with suppress(OSError):  # the terminal is gone; the logs are not
            self.stdout.write(line)
            self.stdout.flush()  # into a pipe it would come much later
