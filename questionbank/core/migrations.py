"""Custom migration operations, and a check that a bank's migration history can be brought up to this version."""

from __future__ import annotations

from collections.abc import Sequence

import pgtrigger.migrations
from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

_SINGLE_MIGRATIONS = "bb817d2a"  # the last commit with the migrations that squashed ones replace
_FIRST_MIGRATIONS = "72c08ee0"  # likewise, for migrations up to 0031


def history_problem() -> str:
    """Return a sentence on why this version cannot migrate the bank; empty if it can (decision 54)."""
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


_KINDS = (CreateModel, pgtrigger.migrations.AddTrigger)


class CreateModels(Operation):
    """Create many models at once.

    Django renders a project's models again after each operation, which for the bank takes four fifths of the time
    of a first `migrate`. Here they are rendered once, so models may refer to later ones (docs/decisions/0054).

    Args:
        operations: operations that create models or add triggers to them.

    Raises:
        TypeError: an operation is of another type.
    """

    reduces_to_sql = True
    reversible = False

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = list(operations)
        for operation in self.operations:
            if not isinstance(operation, _KINDS):
                raise TypeError(f"CreateModels cannot do {operation.describe()}.")

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Add the models to the state."""
        # models that are already rendered would be rendered again by every operation
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Create the tables, then their triggers."""
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Return what `migrate` prints."""
        return f"Create {sum(isinstance(operation, CreateModel) for operation in self.operations)} models"
