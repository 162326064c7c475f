"""docs/operations.md names every variable, check and process that there is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from questionbank.core.env import environment
from questionbank.local.programs import programs
from questionbank.operations import health
from questionbank.people.accounts import FREE_FAILURES, FREE_FAILURES_OF_ADDRESS, LONGEST_WAIT

BASE_DIR = Path(__file__).resolve().parent.parent
TEXT = (BASE_DIR / "docs" / "operations.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[str, str]:
    """First cell -> the rest, of the first table below a heading."""
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    table = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return {cells[0].strip().strip("`"): "|".join(cells[1:]) for cells in table[2:]}


def test_every_variable_is_documented_and_no_other():
    assert set(rows("Environment")) == set(environment.scheme)


@pytest.mark.parametrize("name", ["PORT", "LOG_LEVEL", "EMAIL_URL"])
def test_documented_defaults_are_the_real_ones(name):
    assert f"`{environment.scheme[name][1]}`" in rows("Environment")[name]


def test_a_number_that_is_left_empty_is_the_default(monkeypatch):
    for name in ("PORT", "REVIEW_OPINIONS", "REVIEW_RANDOM_SHARE"):
        monkeypatch.setenv(name, " ")
        assert environment(name) == environment.scheme[name][1]
    monkeypatch.setenv("PORT", "81")
    assert environment("PORT") == 81


def test_every_health_check_is_documented():
    assert set(rows("Health")) == {str(title) for _name, title, _check in health._CHECKS}


def test_documented_limits_are_the_real_ones(settings):
    assert f"{health.WORKER_SILENT_AFTER.seconds} seconds" in rows("Health")["Workers"]
    assert f"below {health.RECALL_WARNING} (the target is {health.RECALL_TARGET})" in rows("Health")["Index recall"]
    assert f"under {health.DISK_WARNING // 10**9} GB free | under {health.DISK_FAILING // 10**6} MB free" in TEXT
    assert health.BACKUP_DUE.days == 7
    uploads = settings.IMPORT_UPLOAD_MAX_BYTES // 2**20
    pairs = settings.REVIEW_UPLOAD_MAX_BYTES // 2**20
    forms = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
    assert f"Forms {forms} MB, uploads {uploads} MB, files of pairs {pairs} MB" in TEXT
    assert settings.ACCOUNT_RATE_LIMITS["login"] == "300/m/ip"
    assert (FREE_FAILURES, FREE_FAILURES_OF_ADDRESS, LONGEST_WAIT) == (5, 30, 60)
    assert re.search(r"five\s+wrong\s+passwords\s+for\s+an\s+account,\s+thirty\s+from\s+an\s+address", TEXT)
    assert re.search(r"up\s+to\s+60\s+seconds", TEXT)


def test_every_process_is_documented():
    for name in programs(BASE_DIR, host="", port=1):
        assert f"`{name}`" in TEXT


@pytest.mark.parametrize("command", [["backup", "bank.tar"], ["restore", "bank.tar"], ["embed_questions"]])
def test_a_database_that_does_not_answer_is_one_sentence(tmp_path, command):
    environ = {"VAR_DIR": str(tmp_path), "DATABASE_URL": "postgres://kindred:s3cret@127.0.0.1:1/kindred"}
    finished = subprocess.run(
        [sys.executable, BASE_DIR / "manage.py", *command],
        env={"PATH": os.environ["PATH"], **environ},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert finished.stderr.startswith("CommandError: The database does not answer: connection failed")
    assert finished.stderr.count("\n") == 1
    assert "s3cret" not in finished.stderr
