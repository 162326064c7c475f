"""Lists and worksheets of questions, and changes of many questions at once, stored so that they can be undone."""

from __future__ import annotations

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from questionbank.models.visibility import (
    EVERYBODY,
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


@moves_tracked
class Worksheet(Shown):
    """A person's worksheet; others whom it is shared with can read and print it, but only its owner changes it.

    `objects` are the worksheets that the viewer may see, `unrestricted` all of them.

    Attributes:
        name: shown in the list of worksheets.
        title: printed; empty to print the name.
        versions: number of versions, A to D; version A is as the owner arranged it.
        seed: determines the versions; the same seed gives the same versions.
        source_list: the list it was made from.
    """

    class Paper(models.TextChoices):
        A4 = "a4", "A4"
        LETTER = "us-letter", "US Letter"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="worksheets")
    name = models.CharField("name", max_length=120)
    title = models.CharField("title", max_length=200, blank=True)
    instructions = models.TextField("instructions", blank=True)
    columns = models.PositiveSmallIntegerField("columns", default=1)
    paper = models.CharField("paper", max_length=12, choices=Paper.choices, default=Paper.A4)
    has_name_field = models.BooleanField("line for name, class and date", default=True)
    versions = models.PositiveSmallIntegerField(
        "versions", default=1, validators=[MinValueValidator(1), MaxValueValidator(4)]
    )
    seed = models.PositiveIntegerField(default=1)
    mixes_questions = models.BooleanField("mix the order of questions", default=True)
    mixes_options = models.BooleanField("mix the order of options", default=True)
    changes_numbers = models.BooleanField("change numbers", default=True)
    visibility = visibility_field(Visibility.PRIVATE)
    audience = audience_field("owner")
    source_list = models.ForeignKey(
        "questionbank.QuestionList", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ViewerManager["Worksheet"]()
    unrestricted = models.Manager["Worksheet"]()

    class Meta:
        verbose_name = "worksheet"
        verbose_name_plural = "worksheets"
        ordering = ("-updated_at", "-pk")
        indexes = (models.Index(fields=("audience",), name="worksheet_audience"),)
        constraints = (
            shown_constraint("worksheet_has_its_school"),
            models.UniqueConstraint(fields=("owner", "name"), name="one_worksheet_a_person_and_name"),
            models.CheckConstraint(condition=Q(columns__in=(1, 2)), name="worksheet_has_one_or_two_columns"),
            models.CheckConstraint(
                condition=Q(versions__gte=1, versions__lte=4), name="worksheet_has_one_to_four_versions"
            ),
        )

    def __str__(self) -> str:
        return self.name

    @property
    def seen_source(self) -> QuestionList | None:
        """The list it was made from, unless that belongs to somebody who no longer shares it with the viewer."""
        source = self.source_list
        is_seen = source is not None and (source.owner_id == self.owner_id or (source.is_shared and source.is_seen))
        return source if is_seen else None

    @property
    def printed_title(self) -> str:
        """The title printed at the top."""
        return self.title or self.name


class WorksheetItem(models.Model):
    """A question on a worksheet, or the start of a section; positions count from 1.

    Attributes:
        question: kept when the question is deleted, so that the worksheet can show which one is missing; empty for a
            section.
        heading: of the section, like `instructions`.
        points: None if no points are given.
        answer_lines: number of empty lines to write on.
    """

    worksheet = models.ForeignKey(Worksheet, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    question = models.ForeignKey(
        "questionbank.Question",
        null=True,
        blank=True,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        related_name="worksheet_items",
    )
    heading = models.CharField("heading", max_length=200, blank=True)
    instructions = models.TextField("instructions", blank=True)
    points = models.FloatField("points", null=True, blank=True)
    answer_lines = models.PositiveSmallIntegerField("answer lines", default=0)

    class Meta:
        verbose_name = "question on a worksheet"
        verbose_name_plural = "questions on worksheets"
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("worksheet", "question"), name="question_once_a_worksheet"),
            models.UniqueConstraint(
                fields=("worksheet", "position"),
                name="one_item_a_place_on_a_worksheet",
                deferrable=models.Deferrable.DEFERRED,
            ),
        )

    def __str__(self) -> str:
        return f"{self.worksheet_id}.{self.position}: {self.question_id or self.heading}"

    @property
    def is_section(self) -> bool:
        """Whether it starts a section."""
        return self.question_id is None


class QuestionUse(models.Model):
    """A day on which a worksheet with the question was downloaded to be handed out.

    `objects` are the uses that the viewer may know of.

    Attributes:
        worksheet: empty once it is deleted.
        worksheet_name: the worksheet's name at that time.
        audience: who may know of it (`questionbank.models.visibility`): the school of the worksheet, or else of the
            person.
    """

    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="uses")
    day = models.DateField("day")
    worksheet = models.ForeignKey(Worksheet, null=True, blank=True, on_delete=models.SET_NULL, related_name="uses")
    worksheet_name = models.CharField("worksheet", max_length=120)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    audience = models.BigIntegerField(default=EVERYBODY, db_default=EVERYBODY)

    objects = ViewerManager["QuestionUse"]()
    unrestricted = models.Manager["QuestionUse"]()

    class Meta:
        ordering = ("-day", "-pk")
        indexes = (models.Index(fields=("day", "question"), name="use_day"),)
        constraints = (
            models.UniqueConstraint(fields=("question", "worksheet", "day"), name="one_use_a_worksheet_and_day"),
        )

    def __str__(self) -> str:
        return f"{self.question_id}: {self.day}, {self.worksheet_name}"
