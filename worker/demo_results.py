"""``python -m worker.demo_results``: compute the demo bank's vectors, solutions and map, and add them to the package.

It creates a demo bank with this version's starters in a temporary folder, runs the jobs that a new installation
runs, and writes `questionbank.demo.bank.DEMO_RESULTS`. It takes about ten minutes on two cores. Run it again when a
starter, or the code that reads or solves questions, has changed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from typing import Any

from questionbank import local as embedded


def main(arguments: list[str] | None = None) -> None:
    """Create the file."""
    ArgumentParser(prog="python -m worker.demo_results", description=__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="kindred-demo-") as folder:
        os.environ.update({"VAR_DIR": folder, "DEMO": "1", "DATABASE_URL": "", "REDIS_URL": "", "STORAGE_URL": ""})
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings")
        embedded.ensure(folder)
        try:
            _make()
        finally:
            embedded.release()


def _make() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    from questionbank.demo.bank import DEMO_RESULTS, write_results
    from questionbank.models import Run
    from questionbank.operations.setup import demo_bank_install, demo_results_gather
    from questionbank.registry.artifact_services import artifact_install_default
    from worker.probes.jobs import project_run
    from worker.solver.jobs import solve_run

    call_command("migrate", interactive=False, verbosity=0)
    artifact_install_default(report=_say)
    demo_bank_install(report=_say)
    call_command("embed_questions")
    _do("solve", "solver", solve_run)
    _do("project", "probes", project_run)
    if failed := Run.objects.filter(state=Run.State.FAILED).first():
        sys.exit(f"Error: {failed}: {failed.error}")
    write_results(demo_results_gather())
    _say(f"{DEMO_RESULTS}: {DEMO_RESULTS.stat().st_size:,} bytes")


def _do(kind: str, capability: str, work: Callable[[Any], Mapping[str, Any]]) -> None:
    """Run a job in this process."""
    from questionbank.jobs.run_services import run_create
    from worker.reporting import COMMAND_LINE, running

    run = run_create(kind=kind, capability=capability, title=kind, send=False)
    with running(run.pk, COMMAND_LINE) as reporter:
        if reporter is not None:
            reporter.echo = _say
            reporter.result = work(reporter)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
