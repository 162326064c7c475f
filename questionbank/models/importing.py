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
