"""Questions that an import found already in the bank, and test papers that are not imported yet."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from questionbank.models.visibility import (
    Shown,
    ViewerManager,
    Visibility,
    audience_field,
    moves_tracked,
    shown_constraint,
    visibility_field,
)


class ImportDuplicate(models.Model):
    """A question already in the bank that an import would otherwise have created.

    Undoing the import that created it must leave it in place: this import needs it too.
    """

    run = models.ForeignKey("questionbank.Run", on_delete=models.CASCADE, related_name="+")
    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="import_duplicates")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("run", "question"), name="import_duplicate_once_a_run"),)

    def __str__(self) -> str:
        return f"{self.run_id}: {self.question_id}"


class ImportUpdate(models.Model):
    """A question that an import found in the bank with different content, and the outcome.

    Attributes:
        before: the fields replaced by the import, in the format of `questionbank.imports.updates`.
        incoming: the fields in the file.
        version: the question's version when it last equalled a file's; a higher one means that a person has edited it.
    """

    class Outcome(models.TextChoices):
        UPDATED = "updated", "Updated"
        CONFLICT = "conflict", "Edited in the bank and in the file"
        KEPT = "kept", "The bank's version was kept"
        TAKEN = "taken", "The file's version was taken"
        UNDONE = "undone", "Updated, then undone"

    run = models.ForeignKey("questionbank.Run", on_delete=models.CASCADE, related_name="import_updates")
    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="import_updates")
    outcome = models.CharField(max_length=10, choices=Outcome.choices)
    before = models.JSONField(default=dict)
    incoming = models.JSONField(default=dict)
    version = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("run", "question"), name="import_update_once_a_run"),)

    def __str__(self) -> str:
        return f"{self.run_id}: {self.question_id} {self.outcome}"


@moves_tracked
class DocumentDraft(Shown):
    """A test paper under review. Only its owner changes it, none of it is in the bank yet, and it is kept for a week.

    `objects` are the papers that the viewer may see, `unrestricted` all of them.

    Attributes:
        name: name of the file, or the owner's name for the pasted text.
        reason: why it was refused, and what to do; otherwise empty.
        upload: name of the file in the storage ``uploads`` until it has been read.
        lines: its lines as read, `questionbank.papers.paper_lines.Line` as JSON.
        roles: the guessed role of each line, and the rule that decided it: ``question:numbered``.
        pictures: SHA-256 by the name used in lines; empty for a picture that cannot be displayed.
        picture_widths: printed width in points (1/72 inch) by that name, if the document states it.
        notices: sentences on what could not be read.
        corrections: the owner's changes, in order (`questionbank.papers.paper_lines`).
        applied: number of corrections in effect; the rest are undone and can be redone.
        read_run: the job that reads it.
        may_be_sent: whether the school's language model may read it as well.
        model_reading: what that model reads: ``{"model", "host", "pieces", "reason"}`` or, instead of a reason,
            ``"roles"`` and ``"is_likelier"``; empty until then.
        model_run: the job in which it does.
        import_run: the job that imports it.
    """

    class State(models.TextChoices):
        READING = "reading", "Being read"
        READY = "ready", "Ready to review"
        REFUSED = "refused", "Cannot be read"
        IMPORTED = "imported", "Imported"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="document_drafts")
    name = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=State.choices, default=State.READING)
    reason = models.TextField(blank=True)
    upload = models.CharField(max_length=100, blank=True)
    lines = models.JSONField(default=list, blank=True)
    roles = models.JSONField(default=list, blank=True)
    pictures = models.JSONField(default=dict, blank=True)
    picture_widths = models.JSONField(default=dict, blank=True)
    notices = models.JSONField(default=list, blank=True)
    corrections = models.JSONField(default=list, blank=True)
    applied = models.PositiveIntegerField(default=0)
    hierarchy = models.ForeignKey(
        "questionbank.KnowledgeHierarchy", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    with_headings = models.BooleanField("headings become concepts", default=False)
    read_run = models.ForeignKey("questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    may_be_sent = models.BooleanField("the language model may read it", default=True)
    model_reading = models.JSONField(default=dict, blank=True)
    model_run = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    import_run = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    visibility = visibility_field(Visibility.PRIVATE)
    audience = audience_field("owner")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ViewerManager["DocumentDraft"]()
    unrestricted = models.Manager["DocumentDraft"]()

    class Meta:
        verbose_name = "test paper"
        verbose_name_plural = "test papers"
        ordering = ("-updated_at", "-pk")
        indexes = (models.Index(fields=("audience",), name="paper_audience"),)
        constraints = (shown_constraint("paper_has_its_school"),)

    def __str__(self) -> str:
        return self.name

    @property
    def is_importing(self) -> bool:
        """Whether a job is importing it; until that job has ended, nothing may be changed."""
        return self.import_run is not None and not self.import_run.is_finished
