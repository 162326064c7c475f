"""Upgrade the banks of earlier commits: ``python -m tests.faults.upgrades [--every 100] [--count 10]``.

For each commit of the main line, its own code makes a bank in an empty folder: tables, models in use, 300 questions, a
list and a job that nobody has done yet. Then ``manage.py migrate`` of this version runs on it alone, and the rows
of questions, tags, lists, jobs and models are compared, the job is done, and a model predicts for a text. One line per
commit says what happened. Today's virtual environment runs the old code as well, so a commit that needs a package
that is no longer installed is reported as such.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

from questionbank.local import SERVICES
from tests.serving import BASE_DIR

QUESTIONS = 300
TABLES = ("question", "questiontag", "knowledgeconcept", "questionlist", "listitem", "run", "modelartifact", "user")
# What a migration or a job computes anew; decision 160 changed which difficulty counts.
CHANGING = {
    "run": {"state", "heartbeat_at", "progress"},
    "question": {"search_text", "search_vector", "tokens", "difficulty_percent"},
}
MAKE_LIST = """
from django.contrib.auth.models import Group
from questionbank.models import QuestionList, User
owner = User.objects.create_user("upgraded", password="kept-for-later")
owner.groups.set(Group.objects.all())
QuestionList.objects.create(name="Kept", owner=owner)
"""
RENAMED = {"blank": "blanks"}  # kinds of questions
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
from django.db import connection
rows = {{}}
with connection.cursor() as cursor:
    for table in {tables}:
        if f"questionbank_{{table}}" in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT to_jsonb(t) FROM questionbank_{{table}} t ORDER BY id")
            rows[table] = [json.loads(row) if isinstance(row, str) else row for row, in cursor.fetchall()]
with open({file!r}, "w", encoding="utf-8") as file:
    json.dump(rows, file)
"""
Rows = dict[str, list[dict[str, Any]]]


class Failed(Exception):
    """A step of an upgrade failed; the message names it and quotes the end of its output."""


class NoBank(Failed):
    """The commit's own code cannot make a bank, so that none of its kind exists."""


def main() -> None:
    """Upgrade the banks, print a line for each, and exit with 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--commit", nargs="+", default=[])
    options = parser.parse_args()
    commits = options.commit or _main_line()[options.every :: options.every][: options.count]
    failures = [commit for commit in commits if not _reported(commit)]
    sys.exit(bool(failures))


def _main_line() -> list[str]:
    listed = _git("log", "--first-parent", "--format=%h").decode()
    return listed.split()


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=BASE_DIR, check=True, capture_output=True).stdout


def _reported(commit: str) -> bool:
    """Upgrade the bank of a commit and print how that went; return whether it went well."""
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
            for service in SERVICES.values():
                service.stop(Path(folder) / "var")
    print(f"{commit} ({subject}): {result}", flush=True)  # noqa: T201
    return is_good


def upgrade(commit: str, folder: Path) -> str:
    """Make a bank with a commit's code, upgrade it and use it; return a summary.

    Raises:
        NoBank: the commit's own code cannot make the bank.
        Failed: a step of the upgrade fails, or rows differ.
    """
    old, var_dir = folder / "old", folder / "var"
    with tarfile.open(fileobj=BytesIO(_git("archive", commit))) as archive:
        archive.extractall(old, filter="data")
    questions = folder / "questions.jsonl"
    with gzip.open(BASE_DIR / "questionbank/demo/bank.jsonl.gz", "rt", encoding="utf-8") as file:
        questions.write_text("".join(islice(file, QUESTIONS)), encoding="utf-8")
    for command in (
        ["migrate", "--verbosity", "0"],
        ["setup_bank"],
        ["import_questions", str(questions), "--source", "Upgrade", "--hierarchy", "Kindred demo"],
        ["shell", "--command", MAKE_LIST],
    ):
        try:
            _manage(old, var_dir, command)
        except Failed as failure:
            raise NoBank(str(failure)) from failure
    before = _rows(old, var_dir)
    _manage(BASE_DIR, var_dir, ["migrate", "--verbosity", "0"])
    differences = _differences(before, _rows(BASE_DIR, var_dir))
    if differences:
        raise Failed("; ".join(differences))
    _manage(BASE_DIR, var_dir, ["setup_bank"])
    _manage(BASE_DIR, var_dir, ["embed_questions"])
    _manage(BASE_DIR, var_dir, ["collectstatic", "--no-input"])
    SERVICES["redis"].start(var_dir)  # `shell` starts no more than PostgreSQL
    _manage(BASE_DIR, var_dir, ["shell", "--command", USE])
    predictions = folder / "predictions.jsonl"
    _manage(BASE_DIR, var_dir, ["predict", "--input", str(questions), "--output", str(predictions)])
    rows = [json.loads(line) for line in predictions.read_text(encoding="utf-8").splitlines()]
    with_concepts = sum(bool(row["concepts"]) for row in rows)
    return f"{sum(map(len, before.values()))} rows are equal, pages answer, {with_concepts} of {len(rows)} predicted"


def _manage(tree: Path, var_dir: Path, command: Sequence[str]) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL") and name != "DEMO"}
    environment |= {"VAR_DIR": str(var_dir), "PYTHONPATH": str(tree), "HF_HUB_OFFLINE": "1", "DEBUG": "1"}
    done = subprocess.run(
        [sys.executable, str(tree / "manage.py"), *command], cwd=tree, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        raise Failed(f"{command[0]}: {(done.stderr.strip() or done.stdout.strip())[-300:]}")
    return done.stdout


def _rows(tree: Path, var_dir: Path) -> Rows:
    """Return the rows of the tables that an upgrade may not change, by table, as a tree's own code reads them."""
    file = var_dir.with_name("rows.json")
    _manage(tree, var_dir, ["shell", "--command", DUMP.format(tables=TABLES, file=str(file))])
    rows: Rows = json.loads(file.read_text(encoding="utf-8"))
    return rows


def _differences(before: Rows, after: Rows) -> list[str]:
    """Return a sentence per table whose rows differ in a column that both versions have."""
    found = []
    for table, rows in before.items():
        now = after.get(table, [])
        if len(rows) != len(now):
            found.append(f"{table} has {len(now)} rows, {len(rows)} before")
            continue
        columns = (rows[0].keys() & now[0].keys()) - CHANGING.get(table, set()) if rows else set()
        changed = {
            name
            for name in columns
            for old, new in zip(rows, now, strict=True)
            if old[name] != new[name] and not (name == "kind" and RENAMED.get(old[name]) == new[name])
        }
        if changed:
            found.append(f"{table} differs in {', '.join(sorted(changed))}")
    return found


if __name__ == "__main__":
    main()
