"""What an import found in the bank already."""

from __future__ import annotations

from django.db import models


class ImportDuplicate(models.Model):
    """A question of the bank that an import would have created, had it not been there.

    Undoing the import that did create it must leave it: this import needs it too.
    """

    run = models.ForeignKey("questionbank.Run", on_delete=models.CASCADE, related_name="+")
    question = models.ForeignKey(
        "questionbank.Question", on_delete=models.CASCADE, related_name="import_duplicates"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("run", "question"), name="import_duplicate_once_a_run"),
        )

    def __str__(self) -> str:
        return f"{self.run_id}: {self.question_id}"


class ImportUpdate(models.Model):
    """A question of the bank that an import met with other content, and what came of it.

    Attributes:
        before: the fields that the import replaced, as `questionbank.services.import_updates` keeps them.
        incoming: the fields as the file has them.
        version: of the question when it was last as a file has it; a higher one means that a person has edited it.
    """

    class Outcome(models.TextChoices):
        UPDATED = "updated", "Updated"
        CONFLICT = "conflict", "Edited in the bank and in the file"
        KEPT = "kept", "The bank's version was kept"
        TAKEN = "taken", "The file's version was taken"
        UNDONE = "undone", "Updated, then undone"

    run = models.ForeignKey("questionbank.Run", on_delete=models.CASCADE, related_name="import_updates")
    question = models.ForeignKey(
        "questionbank.Question", on_delete=models.CASCADE, related_name="import_updates"
    )
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    before = models.JSONField(default=dict)
    incoming = models.JSONField(default=dict)
    version = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("run", "question"), name="import_update_once_a_run"),)

    def __str__(self) -> str:
        return f"{self.run_id}: {self.question_id} {self.outcome}"
