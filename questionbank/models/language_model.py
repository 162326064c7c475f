"""Uses of the school's language model: how it did in the exam, whether it is switched on, and what it answered."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class LanguageModelUse(models.Model):
    """The exam of one use, and whether an admin has switched the use on.

    Attributes:
        name, host: the model that took the exam.
        check_answers: its answers to the check questions in the exam; different answers later reveal a different model.
        checked_at: when they were last compared.
        lapsed: why the verdict no longer counts; empty while it does.
        figures: as `worker.exam.taking` stores them for one use.
        weights: weights of its answers relative to Kindred's own, by name; fitted on all examples of the exam.
    """

    class Use(models.TextChoices):
        SOLVING = "solving", "Solving word problems"
        PAIRS = "pairs", "Judging paraphrases"
        PAPERS = "papers", "Reading test papers"
        CONCEPTS = "concepts", "Suggesting concepts"

    class Verdict(models.TextChoices):
        PASSED = "passed", "Passed"
        NOT_BETTER = "not_better", "Not better"
        WORSE = "worse", "Worse"

    use = models.CharField("use", max_length=10, choices=Use.choices, unique=True)
    verdict = models.CharField("verdict", max_length=10, choices=Verdict.choices)
    name = models.CharField("model", max_length=200)
    host = models.CharField("host", max_length=300)
    check_answers = models.JSONField(default=list)
    checked_at = models.DateTimeField(db_default=Now())
    lapsed = models.TextField(blank=True)
    figures = models.JSONField(default=dict)
    weights = models.JSONField(default=dict)
    run = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="language_model_uses"
    )
    examined_at = models.DateTimeField(db_default=Now())
    switched_on_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    switched_on_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "use of the language model"
        verbose_name_plural = "uses of the language model"
        ordering = ("use",)

    def __str__(self) -> str:
        return str(self.get_use_display())

    @property
    def counts(self) -> bool:
        """Whether the model passed, and has not been replaced since."""
        return self.verdict == self.Verdict.PASSED and not self.lapsed

    @property
    def is_on(self) -> bool:
        """Whether Kindred asks the model."""
        return self.counts and self.switched_on_at is not None


class LanguageModelAnswer(models.Model):
    """A checked answer of the language model about a question or a pair of paraphrases.

    Attributes:
        content_hash: that of the question at the time; empty for a pair, whose texts never change.
        answer: what the module of the use returned, as plain values; empty if it was dropped.
        reason: why it was dropped.
        name, host: the model that answered.
    """

    use = models.CharField("use", max_length=10, choices=LanguageModelUse.Use.choices)
    question = models.ForeignKey(
        "questionbank.Question", null=True, on_delete=models.CASCADE, related_name="language_model_answers"
    )
    pair = models.ForeignKey(
        "questionbank.ParaphrasePair", null=True, on_delete=models.CASCADE, related_name="language_model_answers"
    )
    content_hash = models.BinaryField(max_length=32, default=b"")
    answer = models.JSONField(default=dict)
    reason = models.TextField(blank=True)
    name = models.CharField("model", max_length=200)
    host = models.CharField("host", max_length=300)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=("use", "question"), name="one_answer_a_use_and_question"),
            models.UniqueConstraint(fields=("use", "pair"), name="one_answer_a_use_and_pair"),
            models.CheckConstraint(
                condition=Q(question__isnull=False, pair__isnull=True) | Q(question__isnull=True, pair__isnull=False),
                name="answer_about_a_question_or_a_pair",
            ),
        )

    def __str__(self) -> str:
        return f"{self.use}: {self.name}"


class LanguageModelExclusion(models.Model):
    """A question that is never sent to the language model."""

    question = models.OneToOneField(
        "questionbank.Question", on_delete=models.CASCADE, related_name="language_model_exclusion"
    )
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    excluded_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"question {self.question_id}"
