"""A real instance whose PostgreSQL restarts again and again, and whose backups and restores are killed."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from questionbank.services.backup_database import RESTORE_LOCK
from tests.faults.__main__ import problems_of, round_of
from tests.faults.instance import Instance, broken_invariants, running_instance, wait_for
from tests.faults.load import Readers
from tests.faults.table import FAULTS, kill

QUESTIONS = 2_000
RESTARTS = 5


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    with running_instance() as started:
        yield started


@pytest.fixture(scope="module")
def imports() -> dict[int, int]:
    """Job -> questions, of every import so far."""
    return {}


def test_restarts_of_postgresql_end_no_page_and_no_job(instance, imports):
    with Readers(instance) as readers:
        job = instance.import_questions(QUESTIONS, mark="restarts")
        imports[job] = QUESTIONS
        for _restart in range(RESTARTS):
            instance.restart_postgres()
        wait_for(lambda: not instance.unfinished(), "the jobs", instance.log)
    assert readers.statuses[500] == 0, instance.log()
    assert readers.statuses[200] > 0
    assert readers.without_retry_after == 0
    assert broken_invariants(instance, imported=sum(imports.values()), imports=list(imports)) == []
    assert "Traceback" not in (instance.var_dir / "logs" / "web.log").read_text()


def test_a_killed_worker_and_its_job_are_back_within_seconds(instance, imports):
    job = instance.import_questions(3 * QUESTIONS, mark="killed worker")
    imports[job] = 3 * QUESTIONS

    def state() -> tuple[str, int]:
        [row] = instance.sql("SELECT state, attempts FROM questionbank_run WHERE id = %s", job)
        return row

    wait_for(lambda: state() == ("running", 1), "the import to begin", instance.log)
    kill("worker-default")(instance, random.Random(1))
    wait_for(lambda: state()[1] == 2, "the import to begin again", instance.log)
    wait_for(lambda: not instance.unfinished(), "the jobs", instance.log)
    assert broken_invariants(instance, imported=sum(imports.values()), imports=list(imports)) == []


def leftovers(folder: Path) -> list[str]:
    return [path.name for path in folder.glob(".*")]


def killed_when(command: subprocess.Popen[str], condition, instance: Instance) -> None:
    wait_for(lambda: condition() or command.poll() is not None, "the command to be halfway", instance.log)
    command.kill()
    command.communicate()
    assert command.returncode < 0, "it was quicker than the kill"


def test_killed_backups_and_restores_leave_nothing_behind(instance, imports):
    folder = instance.folder / "backups"
    folder.mkdir()
    whole = folder / "whole.tar"
    done, _said, complained = instance.finish("backup", str(whole))
    assert done == 0, complained

    killed_when(instance.command("backup", str(folder / "killed.tar")), lambda: leftovers(folder), instance)
    assert leftovers(folder)

    def restores() -> list[tuple[str]]:
        return instance.sql("SELECT datname FROM pg_database WHERE datname LIKE '%%\\_restore'")

    killed_when(instance.command("restore", "--force", str(whole)), restores, instance)
    scratch = instance.var_dir / "scratch"
    assert restores()
    assert list(scratch.glob("restore-*"))
    wait_for(  # while its session holds the lock, the next command takes the restore for a running one
        lambda: (
            not instance.sql("SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = %s", RESTORE_LOCK)
        ),
        "the server to notice that the restore is gone",
        instance.log,
    )

    done, _said, complained = instance.finish("backup", str(folder / "next.tar"))
    assert done == 0, complained
    assert leftovers(folder) == []
    assert list(scratch.iterdir()) == []
    assert broken_invariants(instance, imported=sum(imports.values()), imports=list(imports)) == []


def test_a_restore_that_loses_the_server_ends_in_a_sentence(instance, imports):
    whole = instance.folder / "backups" / "whole.tar"
    restore = instance.command("restore", "--force", str(whole))
    said = iter(restore.stderr.readline, "")
    assert any("Restoring the database" in line for line in said)
    instance.restart_postgres()
    _output, complained = restore.communicate()
    assert restore.returncode == 1
    assert "Traceback" not in complained
    assert broken_invariants(instance, imported=sum(imports.values()), imports=list(imports)) == []


ROUNDS = (
    "kill web", "kill job", "kill postgres", "full disk",
    "stall worker-default", "stall postgres", "slow clients", "hostile parameters",
)  # fmt: skip


@pytest.mark.parametrize("name", ROUNDS)
def test_rounds_of_make_faults(name, instance, imports):
    """One of each kind; `make faults` draws among all, and two at once."""
    done, _seconds, readers = round_of(
        instance, ROUNDS.index(name), imports, faults={name: FAULTS[name]}, questions=QUESTIONS // 4
    )
    if "skipped" in done:
        pytest.skip(done)
    assert problems_of(instance, readers, imports) == [], f"{name}\n{instance.log()}"
