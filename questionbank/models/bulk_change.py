"""Changes of many questions at once, stored so that they can be undone, and lists of questions."""

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


class BulkChange(models.Model):
    """One change of many questions.

    Attributes:
        values: the values entered, by field name; concepts by id. For a merge, `into` has the question to keep by
            the number of the duplicate, and `versions` has the versions that were compared.
        selection: the parameters of the search from which the questions were selected.
        applied_at: None while it waits for a worker.
        refused: number of selected questions that were left out, by reason.
        kept: ids of questions that the undo left alone because somebody had changed them since.
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
        VISIBILITY = "visibility", "Visible to"
        MERGE = "merge", "Merge duplicates"

    kind = models.CharField("kind", max_length=16, choices=Kind.choices)
    values = models.JSONField(default=dict, blank=True)
    selection = models.JSONField(default=dict, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="bulk_changes"
    )
    run = models.ForeignKey("questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
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
    """One question of a bulk change; the question itself may have been deleted.

    Attributes:
        before: the replaced values, as stored by `bank.bulk_services`; None if the question was left out.
        after: state of the question right after the change; the undo skips a question that differs from it.
    """

    change = models.ForeignKey(BulkChange, on_delete=models.CASCADE, related_name="items")
    question_id = models.BigIntegerField()
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("change", "question_id"), name="question_once_a_bulk_change"),)

    def __str__(self) -> str:
        return f"{self.change_id}: {self.question_id}"


@moves_tracked
class QuestionList(Shown):
    """A person's list of questions; others whom it is shared with can read it, but only its owner changes it.

    `objects` are the lists that the viewer may see, `unrestricted` all of them.

    Attributes:
        instructions: those of the paper it was made from, for worksheets made from the list.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="question_lists")
    name = models.CharField("name", max_length=120)
    instructions = models.TextField("instructions", blank=True)
    visibility = visibility_field(Visibility.PRIVATE)
    audience = audience_field("owner")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ViewerManager["QuestionList"]()
    unrestricted = models.Manager["QuestionList"]()

    class Meta:
        verbose_name = "list of questions"
        verbose_name_plural = "lists of questions"
        ordering = ("-updated_at", "-pk")
        indexes = (models.Index(fields=("audience",), name="list_audience"),)
        constraints = (
            models.UniqueConstraint(fields=("owner", "name"), name="one_list_a_person_and_name"),
            shown_constraint("list_has_its_school"),
        )

    def __str__(self) -> str:
        return self.name


class QuestionListItem(models.Model):
    """A question's position in a list, counted from 1.

    Attributes:
        points: given by the list's paper; None to use the question's own. The same applies to `heading` and
            `instructions` of its section, because papers may share a question.
    """

    question_list = models.ForeignKey(QuestionList, on_delete=models.CASCADE, related_name="items")
    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="list_items")
    position = models.PositiveIntegerField()
    points = models.FloatField("points", null=True, blank=True)
    heading = models.CharField("heading", max_length=200, blank=True)
    instructions = models.TextField("instructions", blank=True)

    class Meta:
        verbose_name = "question in a list"
        verbose_name_plural = "questions in lists"
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("question_list", "question"), name="question_once_a_list"),
            models.UniqueConstraint(
                fields=("question_list", "position"),
                name="one_question_a_place_in_a_list",
                deferrable=models.Deferrable.DEFERRED,
            ),
        )

    def __str__(self) -> str:
        return f"{self.question_list_id}.{self.position}: {self.question_id}"
