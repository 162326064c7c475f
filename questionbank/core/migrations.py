"""The number of this release, custom migration operations, and whether a bank's migrations are those of this release.

See docs/upgrading.md.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path

from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    AlterField,
    CreateModel,
    RemoveField,
    RemoveIndex,
    RunSQL,
)
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState
from pgtrigger.migrations import AddTrigger, RemoveTrigger
from psycopg import sql

_NOTE = "Migrated by Kindred "  # begins the comment on Django's table of migrations


def history_problem() -> str:
    """Return a sentence on why this release cannot migrate the bank; empty if it can (decision 170)."""
    applied = applied_migrations()
    if later_migrations(applied):
        needed = _bank_release()
        if not needed:
            return f"This bank is of a later release of Kindred than this one, {release()}: install the newest."
        return f"This bank is of Kindred {needed}, and this is {release()}: install {needed} or a later release."
    ours = {*applied.get("questionbank", ())}
    for (label, _name), migration in MigrationLoader(None).disk_migrations.items():
        replaced = {name for _label, name in migration.replaces}
        if label == "questionbank" and ours & replaced and not replaced <= ours:
            return (
                "This bank is older than Kindred 0.1.0, the first release: docs/upgrading.md says under “Older banks”"
                " how to bring it there."
            )
    return ""


def applied_migrations() -> dict[str, list[str]]:
    """Return the names of the migrations that the bank has had, by the label of their app."""
    applied: dict[str, list[str]] = {}
    for label, name in sorted(MigrationRecorder(connection).applied_migrations()):
        applied.setdefault(label, []).append(name)
    return applied


def known_migrations() -> dict[str, list[str]]:
    """Return the names of this release's migrations, and of those that they replace, by the label of their app."""
    migrations: dict[str, set[str]] = {}
    for key, migration in MigrationLoader(None).disk_migrations.items():
        for label, name in (key, *migration.replaces):
            migrations.setdefault(label, set()).add(name)
    return {label: sorted(names) for label, names in migrations.items()}


def later_migrations(applied: Mapping[str, Collection[str]]) -> list[str]:
    """Return those of the applied migrations that only a later release has, as ``app.name``.

    A name that this release lacks and that sorts before its newest was renamed or merged since then.
    """
    known = known_migrations()
    return [
        f"{label}.{name}"
        for label, names in applied.items()
        for name in sorted(names)
        if label in known and name > known[label][-1]
    ]


def bank_release_note() -> None:
    """Note in the database that this release has migrated it, so that an earlier release can name this one."""
    note = sql.Literal(f"{_NOTE}{release()}")
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("COMMENT ON TABLE django_migrations IS {}").format(note))


def _bank_release() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT obj_description(to_regclass('django_migrations'), 'pg_class')")
        note = str(cursor.fetchone()[0] or "")
    return note.removeprefix(_NOTE) if note.startswith(_NOTE) else ""


_ADDITIONS = (AddField, AddIndex, AddConstraint)
_KINDS = (CreateModel, AlterField, RemoveField, RemoveIndex, AddTrigger, RemoveTrigger, RunSQL, *_ADDITIONS)


class AtOnce(Operation):
    """Change many models at once.

    Django renders a project's models again after each operation, which for the bank takes four fifths of the time
    of a first `migrate`. Here they are rendered once, so models may refer to later ones (docs/decisions/0054). A table
    that is created here gets at once what later operations add to it.

    Args:
        operations: no two may change the same part of a model.

    Raises:
        TypeError: an operation is of another type.
    """

    reduces_to_sql = True
    reversible = False

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = list(operations)
        for operation in self.operations:
            if not isinstance(operation, _KINDS):
                raise TypeError(f"AtOnce cannot do {operation.describe()}.")

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Change the models of the state."""
        # models that are already rendered would be rendered again by every operation
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Change the tables, in the order of the operations."""
        created = {operation.name_lower for operation in self.operations if isinstance(operation, CreateModel)}
        for operation in self.operations:
            if not (isinstance(operation, _ADDITIONS) and operation.model_name.lower() in created):
                operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Return what `migrate` prints."""
        return f"{len(self.operations)} operations at once"


_PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


@cache
def release() -> str:
    """Return the number of this release, such as ``0.11.0``; between releases it ends with ``.dev0``."""
    project = tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]
    return str(project["version"])
