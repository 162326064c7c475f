"""Whether the migrations that a bank has run lead to this version."""

from __future__ import annotations

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

_SINGLE_MIGRATIONS = "bb817d2a"  # the last commits that have the files which squashed migrations replace
_FIRST_MIGRATIONS = "72c08ee0"  # likewise, up to 0031


def history_problem() -> str:
    """Return why this version cannot bring the bank up to date, a sentence; empty where it can (decision 54)."""
    history = MigrationRecorder(connection).applied_migrations()
    applied = {name for label, name in history if label == "questionbank"}
    for (label, _name), migration in MigrationLoader(None).disk_migrations.items():
        replaced = {name for _label, name in migration.replaces}
        if label != "questionbank" or not applied & replaced or replaced <= applied:
            continue
        commit = _SINGLE_MIGRATIONS if "0031_problem_variants" in applied else _FIRST_MIGRATIONS
        return (
            "This bank was last opened by a Kindred between two versions, which this one cannot bring up to date:"
            f" run “manage.py migrate” of Kindred's commit {commit} on it first."
        )
    return ""
