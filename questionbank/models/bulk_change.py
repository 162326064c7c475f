"""Changes of many questions at once, and what each question was before, so that all of it can be undone."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class BulkChange(models.Model):
    """One change of many questions.

    Attributes:
        values: what was entered, by name of the field; concepts by id.
        selection: the parameters of the search that it was chosen from.
        applied_at: None while a worker has yet to do it.
        refused: number of selected questions that were left out, by reason.
        kept: ids of questions that the undo left alone, because somebody changed them since.
    """

    class Kind(models.TextChoices):
        PUBLISH = "publish", "Publish drafts"
        RETIRE = "retire", "Retire"
        RESTORE = "restore", "Bring back"
        DELETE_DRAFTS = "delete_drafts", "Delete drafts"
        CONCEPTS = "concepts", "Change concepts"
        GRADE = "grade", "Set the grade"
        SOURCE = "source", "Set the source"
        DIFFICULTY = "difficulty", "Set the difficulty"

    kind = models.CharField("kind", max_length=16, choices=Kind.choices)
    values = models.JSONField(default=dict, blank=True)
    selection = models.JSONField(default=dict, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="bulk_changes"
    )
    run = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    changed = models.PositiveIntegerField(default=0)
    refused = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    applied_at = models.DateTimeField(null=True, blank=True)
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    kept = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return str(self.get_kind_display())


class BulkChangeItem(models.Model):
    """One question of a bulk change; the question itself may be gone.

    Attributes:
        before: what the change replaced, as `services.bulk_changes` keeps it; None where it was left out.
        after: the question right after it: an undo refuses a question that differs.
    """

    change = models.ForeignKey(BulkChange, on_delete=models.CASCADE, related_name="items")
    question_id = models.BigIntegerField()
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("change", "question_id"), name="question_once_a_bulk_change"),
        )

    def __str__(self) -> str:
        return f"{self.change_id}: {self.question_id}"
