"""Operations of our own for migrations."""

from __future__ import annotations

from collections.abc import Sequence

import pgtrigger.migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

_KINDS = (CreateModel, pgtrigger.migrations.AddTrigger)


class CreateModels(Operation):
    """Make many models at once.

    Django renders the models of a project again after each operation, which for the bank takes four fifths of the time
    of a first `migrate`. Here they are rendered once, so models may refer to later ones (docs/decisions/0054).

    Args:
        operations: those that create models, and those that add triggers to them.

    Raises:
        TypeError: an operation does something else.
    """

    reduces_to_sql = True
    reversible = False

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = list(operations)
        for operation in self.operations:
            if not isinstance(operation, _KINDS):
                raise TypeError(f"CreateModels cannot do {operation.describe()}.")

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Describe the models."""
        # models that are rendered would be rendered again by every operation
        state.__dict__.pop("apps", None)
        for operation in self.operations:
            operation.state_forwards(app_label, state)

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Make the tables, then their triggers."""
        for operation in self.operations:
            operation.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Return what `migrate` prints."""
        return f"Create {sum(isinstance(operation, CreateModel) for operation in self.operations)} models"
