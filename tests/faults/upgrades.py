"""Upgrade the banks of earlier releases: ``python -m tests.faults.upgrades [--release 0.2.0 ...] [--commit ...]``.

For each release of docs/upgrading.md, or each commit, its own code makes a bank in an empty folder: tables, models in
use, 300 questions, a list, an import that waits, one that a worker had begun when it was killed, and vectors that
nobody has computed yet; and backs it up. Then ``manage.py migrate`` of this version runs on it alone, and all rows are
compared; a worker does the jobs, pages answer, and a model predicts. Last, this version restores the backup into
another folder, and the rows are compared again. One line per bank says what happened. Today's virtual environment runs
the old code as well, so code that needs a package that is no longer installed is reported as such.
"""

from __future__ import annotations

import argparse
import gzip
import inspect
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from itertools import islice
from pathlib import Path

from questionbank.local import SERVICES, ensure, release
from tests.releases import Rows, bank_rows, differences, releases
from tests.serving import BASE_DIR

QUESTIONS = 300
JOB_SECONDS = 900
MAKE = """
import inspect, sys
from datetime import timedelta
from django.contrib.auth.models import Group
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from questionbank.models import QuestionList, Run, User
try:
    from questionbank.imports.services import import_kept, upload_keep
except ImportError:  # before the code was cut into rooms
    from questionbank.services.imports import import_kept, upload_keep
owner = User.objects.create_user("upgraded", password="kept-for-later")
owner.groups.set(Group.objects.all())
QuestionList.objects.create(name="Kept", owner=owner)
taken = inspect.signature(import_kept).parameters
options = {"options": sys.modules[import_kept.__module__].ImportOptions()} if "options" in taken else {}
for name, number in (("waiting", 17), ("begun", 23)):
    line = b'{"text": "What is %d + 5?", "answer": "%d"}' % (number, number + 5)
    kept = upload_keep(upload=SimpleUploadedFile(name, line), name=f"{name}.jsonl", user=owner)
    run = import_kept(kept=kept, user=owner, **options)
Run.objects.filter(pk=run.pk).update(
    state="running", worker="killed", heartbeat_at=timezone.now() - timedelta(hours=1)
)
"""
AWAIT = """
import time
from questionbank.jobs.run_services import runs_reconcile
from questionbank.models import Question, Run
jobs = Run.objects.filter(pk__in={jobs})
until = time.monotonic() + {seconds}
while jobs.exclude(state__in=Run.FINISHED) and time.monotonic() < until:
    runs_reconcile()  # as the clock does
    time.sleep(2)
ends = {{run.title: (run.state, run.error) for run in jobs if run.state != "succeeded"}}
assert not ends, ends
assert Question.objects.filter(text__in=["What is 17 + 5?", "What is 23 + 5?"]).count() == 2
"""
USE = """
from django.conf import settings
from django.test import Client
from questionbank.models import Question, User
settings.ALLOWED_HOSTS = ["testserver"]
client = Client()
client.force_login(User.objects.get(username="upgraded"))
question = Question.objects.order_by("pk").first()
addresses = ["/", "/questions/", f"/questions/{question.pk}/", "/lists/"]
found = {address: client.get(address, secure=True).status_code for address in addresses}
assert set(found.values()) == {200}, found
"""
DUMP = """
import json
from typing import Any
{source}
with open({file!r}, "w", encoding="utf-8") as file:
    json.dump(bank_rows(), file)
"""


class Failed(Exception):
    """A step of an upgrade failed; the message names it and quotes the end of its output."""


class NoBank(Failed):
    """The commit's own code cannot make a bank, so that none of its kind exists."""


def main() -> None:
    """Upgrade the banks, print a line for each, and exit with 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    known = {each.number: each.commit for each in releases()}
    parser.add_argument("--release", nargs="+", choices=known, help="numbers; by default the last ten")
    parser.add_argument("--commit", nargs="+", default=[], help="commits, in place of releases")
    options = parser.parse_args()
    chosen = options.commit or [known[number] for number in options.release or list(known)[-10:]]
    failures = [commit for commit in chosen if not _reported(commit)]
    sys.exit(bool(failures))


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=BASE_DIR, check=True, capture_output=True).stdout


def _reported(commit: str) -> bool:
    """Upgrade the bank of a commit and print how that went; return whether it went well."""
    began = time.monotonic()
    subject = _git("log", "-1", "--format=%cs %s", commit).decode().strip()
    with tempfile.TemporaryDirectory(prefix="upgrade-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # PostgreSQL's own person enters it
        try:
            result, is_good = upgrade(commit, Path(folder)), True
        except NoBank as reason:
            result, is_good = f"no bank to upgrade: {reason}", True
        except Failed as failure:
            result, is_good = f"FAILED: {failure}", False
        finally:
            release()
            for var_dir in (Path(folder) / "var", Path(folder) / "restored"):
                for service in SERVICES.values():
                    service.stop(var_dir)
    print(f"{commit} ({subject}): {result}; {time.monotonic() - began:.0f} s", flush=True)  # noqa: T201
    return is_good


def upgrade(commit: str, folder: Path) -> str:
    """Make a bank with a commit's code, upgrade it, use it, and restore its backup; return a summary.

    Raises:
        NoBank: the commit's own code cannot make the bank.
        Failed: a step of the upgrade fails, or rows differ.
    """
    old, var_dir, backup = folder / "old", folder / "var", folder / "bank.tar"
    with tarfile.open(fileobj=BytesIO(_git("archive", commit))) as archive:
        archive.extractall(old, filter="data")
    questions = folder / "questions.jsonl"
    with gzip.open(BASE_DIR / "questionbank/demo/bank.jsonl.gz", "rt", encoding="utf-8") as file:
        questions.write_text("".join(islice(file, QUESTIONS)), encoding="utf-8")
    var_dir.mkdir()
    ensure(var_dir, {"redis"})  # `shell` starts no more than PostgreSQL
    try:
        for command in (
            ["migrate", "--verbosity", "0"],
            ["setup_bank"],
            ["import_questions", str(questions), "--source", "Upgrade", "--hierarchy", "Kindred demo"],
            ["shell", "--command", MAKE],
            ["backup", str(backup)],
        ):
            _manage(old, var_dir, command)
    except Failed as failure:
        raise NoBank(str(failure)) from failure
    before = _rows(old, var_dir)
    began = time.monotonic()
    _manage(BASE_DIR, var_dir, ["migrate", "--verbosity", "0"])
    seconds = time.monotonic() - began
    _require_equal(before, _rows(BASE_DIR, var_dir), "migrate")
    jobs = _use(var_dir, before, questions)
    restored = folder / "restored"
    _manage(BASE_DIR, restored, ["restore", str(backup)])
    _require_equal(before, _rows(BASE_DIR, restored), "restore")
    rows = sum(map(len, before.values()))
    return f"migrated in {seconds:.0f} s, {rows} rows equal, {jobs} jobs done, pages and models answer, backup restored"


def _use(var_dir: Path, before: Rows, questions: Path) -> int:
    """Have a worker do the jobs that were left, open pages and predict; return the number of jobs."""
    jobs = [row["id"] for row in before["questionbank_run"] if row["state"] in ("queued", "running")]
    for command in ("setup_bank", "collectstatic --no-input"):
        _manage(BASE_DIR, var_dir, command.split())
    with _worker(var_dir):
        _manage(BASE_DIR, var_dir, ["shell", "--command", AWAIT.format(jobs=jobs, seconds=JOB_SECONDS)])
    _manage(BASE_DIR, var_dir, ["shell", "--command", USE])
    predictions = questions.with_name("predictions.jsonl")
    _manage(BASE_DIR, var_dir, ["predict", "--input", str(questions), "--output", str(predictions)])
    rows = [json.loads(line) for line in predictions.read_text(encoding="utf-8").splitlines()]
    without = sum(not row["concepts"] for row in rows)
    if len(rows) != QUESTIONS or without > QUESTIONS / 2:
        raise Failed(f"predict: {len(rows)} questions, {without} without concepts")
    return len(jobs)


def _require_equal(before: Rows, after: Rows, step: str) -> None:
    if found := differences(before, after):
        raise Failed(f"{step}: {'; '.join(found)}")


def _environment(tree: Path, var_dir: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_URL") and name != "DEMO"}
    return kept | {"VAR_DIR": str(var_dir), "PYTHONPATH": str(tree), "HF_HUB_OFFLINE": "1", "DEBUG": "1"}


@contextmanager
def _worker(var_dir: Path) -> Iterator[None]:
    """Run the worker of this version that imports and computes vectors."""
    ensure(var_dir)
    with (var_dir / "worker.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--only", "worker-default"],
            cwd=BASE_DIR,
            env=_environment(BASE_DIR, var_dir),
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)


def _manage(tree: Path, var_dir: Path, command: Sequence[str]) -> str:
    done = subprocess.run(
        [sys.executable, str(tree / "manage.py"), *command],
        cwd=tree,
        env=_environment(tree, var_dir),
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise Failed(f"{command[0]}: {(done.stderr.strip() or done.stdout.strip())[-300:]}")
    return done.stdout


def _rows(tree: Path, var_dir: Path) -> Rows:
    """Return all rows of a bank, as a tree's own code connects to it."""
    file = var_dir.with_name("rows.json")
    _manage(tree, var_dir, ["shell", "--command", DUMP.format(source=inspect.getsource(bank_rows), file=str(file))])
    rows: Rows = json.loads(file.read_text(encoding="utf-8"))
    return rows


if __name__ == "__main__":
    main()
