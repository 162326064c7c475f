"""Pupils' responses to questions, and the figures computed from them.

A pupil is a keyed hash; no column holds a name, an e-mail address or what a pupil typed.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from questionbank.models.integrations import statistics_hooks
from questionbank.models.visibility import Shown, ViewerManager, audience_field, moves_tracked, shown_constraint


@moves_tracked
class ResponseSet(Shown):
    """The responses of one file: a test that a class wrote.

    `objects` are the sets that the viewer may see, `unrestricted` all of them.

    Attributes:
        day: when the test was written; None if unknown.
        layout: the layout of the file, for people.
        counts_unreached: whether a question without a response counts as 0 marks; otherwise the pupil does not count
            for this question.
        maximum_marks: maximum mark by question id (as text, because it is JSON).
        people: number of pupils.
        removed: pupils deleted since the figures were computed. While there are fewer than five, the figures stay as
            they are: new ones would differ by what these pupils answered.
        withheld: ids of questions without figures, because an earlier set has the same responses but for fewer than
            five pupils.
        worksheet: the worksheet that the class wrote; None if there is none, or it was deleted.
        figures: `analytics.responses.table.TotalFigures` by name, without those that are undefined; empty for
            fewer than five pupils.
        is_modelled: whether the job has fitted the two-parameter model to the set and flagged questions that do not
            suit it.
    """

    title = models.CharField("title", max_length=120)
    class_label = models.CharField("class", max_length=60, blank=True)
    day = models.DateField("date", null=True, blank=True)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="response_sets"
    )
    layout = models.CharField(max_length=60)
    counts_unreached = models.BooleanField("a question without a response counts as 0 marks", default=True)
    maximum_marks = models.JSONField(default=dict)
    people = models.PositiveIntegerField("pupils", default=0)
    removed = models.PositiveIntegerField("pupils deleted since", default=0)
    withheld = models.JSONField(default=list)
    worksheet = models.ForeignKey(
        "questionbank.Worksheet", null=True, blank=True, on_delete=models.SET_NULL, related_name="response_sets"
    )
    figures = models.JSONField(default=dict)
    is_modelled = models.BooleanField(default=False)
    audience = audience_field("owner")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ViewerManager["ResponseSet"]()
    unrestricted = models.Manager["ResponseSet"]()

    class Meta:
        verbose_name = "set of responses"
        verbose_name_plural = "sets of responses"
        ordering = ("-day", "-pk")
        indexes = (models.Index(fields=("audience",), name="responses_audience"),)
        constraints = (shown_constraint("responses_have_their_school"),)

    def __str__(self) -> str:
        return self.title


class Response(models.Model):
    """What a pupil did with a question.

    Attributes:
        person: keyed hash of what identifies the pupil, 16 bytes.
        version: the question's version on the day of the test, or at the time of the import if the day is unknown.
        variant: name of the variant that the pupil saw; empty if the file does not state it.
        score: share of the maximum mark, from 0 to 1.
        choice: label of the chosen option; empty if the question has no options or the file does not state it.
        seconds: time spent; None if unknown.
        attempt: number of the attempt, counted from 1.
    """

    response_set = models.ForeignKey(  # indexed by `one_response_an_attempt`
        ResponseSet, on_delete=models.CASCADE, related_name="responses", db_index=False
    )
    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="+")
    person = models.BinaryField(max_length=16)
    version = models.PositiveIntegerField()
    variant = models.CharField(max_length=40, blank=True, default="")
    score = models.FloatField()
    choice = models.CharField(max_length=20, blank=True)
    seconds = models.FloatField(null=True)
    attempt = models.PositiveSmallIntegerField(default=1)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("response_set", "question", "person", "attempt"), name="one_response_an_attempt"
            ),
            models.CheckConstraint(condition=Q(score__gte=0, score__lte=1), name="response_score_is_a_share"),
        )

    def __str__(self) -> str:
        return f"{self.response_set_id}, question {self.question_id}: {self.score:g}"


class ResponseSeries(models.Model):
    """The start of a question's series of responses: an edit changed what it asks, so earlier ones do not count.

    Attributes:
        version: the first version of the question in this series.
    """

    question = models.ForeignKey(  # indexed by `one_series_a_version`
        "questionbank.Question", on_delete=models.CASCADE, related_name="response_series", db_index=False
    )
    version = models.PositiveIntegerField()
    begun_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "series of responses"
        verbose_name_plural = "series of responses"
        constraints = (models.UniqueConstraint(fields=("question", "version"), name="one_series_a_version"),)

    def __str__(self) -> str:
        return f"question {self.question_id}, from version {self.version}"


class ColumnChoice(models.Model):
    """The question that a person chose for a column of a file of responses; it is proposed for the next such file.

    Attributes:
        column: keyed hash of the file's layout and of the column's header, 16 bytes: a header can hold anything.
    """

    column = models.BinaryField(max_length=16)
    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="+")

    class Meta:
        verbose_name = "choice for a column"
        verbose_name_plural = "choices for columns"
        constraints = (models.UniqueConstraint(fields=("column",), name="one_choice_a_column"),)

    def __str__(self) -> str:
        return f"question {self.question_id}"


class ItemStatistics(models.Model):
    """Figures of a question in one set of responses, or in all of them; only for five pupils or more.

    Attributes:
        response_set: None for the figures of all sets together, which count the current series alone.
        version: the version of the question that the pupils saw; the latest one for all sets together.
        figures: by name, without those that are undefined; `questionbank.responses.figures` names them.
        options: for each option its label, its share of the mark, the choices of the weakest, middle and strongest
            third (`thirds`) and the mean ability of those who chose it; empty without options.
        flags: kind, evidence and option of each thing that stands out, most important first.
        variants: name, pupils (`people`) and facility of each variant, if five pupils or more saw each of them; empty
            for all sets together.
        years: of all sets together, for each school year its first calendar year, the number of pupils, and the
            difficulty in per cent with its 95 % interval (`year`, `people`, `percent`, `low`, `high`).
    """

    question = models.ForeignKey("questionbank.Question", on_delete=models.CASCADE, related_name="item_statistics")
    response_set = models.ForeignKey(
        ResponseSet, null=True, blank=True, on_delete=models.CASCADE, related_name="item_statistics"
    )
    version = models.PositiveIntegerField(default=0)
    people = models.PositiveIntegerField("pupils")
    figures = models.JSONField(default=dict)
    options = models.JSONField(default=list)
    flags = models.JSONField(default=list)
    variants = models.JSONField(default=list)
    years = models.JSONField(default=list)
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "figures of a question"
        verbose_name_plural = "figures of questions"
        constraints = (
            models.UniqueConstraint(
                fields=("question", "response_set"), name="figures_once_a_question_and_set", nulls_distinct=False
            ),
        )
        triggers = statistics_hooks()

    def __str__(self) -> str:
        return f"question {self.question_id}, set {self.response_set_id or 'all'}"
