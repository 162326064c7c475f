"""A real instance that loses its power, whose servers restart, and whose backups and restores are killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from questionbank.operations.backup_database import RESTORE_LOCK
from tests.faults.__main__ import round_of, start_through_power_loss
from tests.faults.disk import NoDisk
from tests.faults.instance import BASE_DIR, Instance, broken_invariants, running_instance, wait_for
from tests.faults.people import WORKS, Readers
from tests.faults.table import FAULTS, kill

QUESTIONS = 1_000
RESTARTS = 5


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    with running_instance(start_through_power_loss) as started:
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
    assert broken_invariants(instance, imports) == []
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
    assert broken_invariants(instance, imports) == []


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
        lambda: not instance.sql("SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = %s", RESTORE_LOCK),
        "the server to notice that the restore is gone",
        instance.log,
    )

    done, _said, complained = instance.finish("backup", str(folder / "next.tar"))
    assert done == 0, complained
    assert leftovers(folder) == []
    assert list(scratch.iterdir()) == []
    assert broken_invariants(instance, imports) == []


def test_a_restore_that_loses_the_server_ends_in_a_sentence(instance, imports):
    whole = instance.folder / "backups" / "whole.tar"
    restore = instance.command("restore", "--force", str(whole))
    said = iter(restore.stderr.readline, "")
    assert any("Restoring the database" in line for line in said)
    instance.restart_postgres()
    _output, complained = restore.communicate()
    assert restore.returncode == 1
    assert "Traceback" not in complained
    assert broken_invariants(instance, imports) == []


ROUNDS = {  # faults -> work under which they happen: those of which most is asked; `make faults` draws among all
    ("kill web", "full disk"): "reviews",
    ("kill job", "empty redis"): "bulk change",
    ("kill postgres", "end for memory"): "undo",
    ("hang connections", "damaged vectors"): "reviews",
    ("stall postgres behind pooler",): "bulk change",
    ("lose power",): "bulk change",
    ("restore under load",): "reviews",
}


@pytest.mark.parametrize("names", ROUNDS, ids=", ".join)
def test_rounds_of_make_faults(names, instance, imports):
    """Named faults; those of a round share its import, and what is waited for and checked at its end."""
    done = round_of(
        instance,
        [*ROUNDS].index(names),
        imports,
        faults={name: FAULTS[name] for name in names},
        works={ROUNDS[names]: WORKS[ROUNDS[names]]},
        questions=200,
    )
    assert done.problems == [], f"{done.named}\n{instance.log()}"
    if any(named.startswith(f"{name} (skipped") for named in done.named for name in names):
        pytest.skip(", ".join(done.named))


def test_a_server_that_is_still_starting_and_ignores_the_signal_is_restarted(tmp_path, monkeypatch):
    ignoring = "trap '' INT; echo started; sleep 1; trap - INT; exec sleep 60"
    with subprocess.Popen(["sh", "-c", ignoring], stdout=subprocess.PIPE) as starting:
        assert starting.stdout.readline()
        instance = Instance(tmp_path, NoDisk())
        monkeypatch.setattr(instance, "server", lambda _name: starting.pid if starting.poll() is None else os.getpid())
        instance.restart_postgres()
    assert starting.returncode == -signal.SIGINT


def test_a_campaign_that_is_killed_leaves_nothing_behind(tmp_path):
    """Its guardian ends what the campaign itself cannot; a folder and a stopped process stand for the instance."""
    folder = tmp_path / "instance"
    var_dir = folder / "disk" / "var"
    var_dir.mkdir(parents=True)
    stopped = subprocess.Popen(["sleep", "600"], env={**os.environ, "VAR_DIR": str(var_dir)})
    stopped.send_signal(signal.SIGSTOP)
    code = "import os, sys; from pathlib import Path; from tests.faults.guardian import guarded\n"
    code += "with guarded(Path(sys.argv[1])): os.kill(os.getpid(), 9)"
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=BASE_DIR, check=False)
    wait_for(lambda: not folder.exists(), "the guardian", str)
    assert stopped.wait(timeout=10) == -signal.SIGKILL
