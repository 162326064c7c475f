"""Schedules by which models are retrained, and what came of each night."""

from __future__ import annotations

from datetime import time

from django.conf import settings
from django.db import models


class RetrainingSchedule(models.Model):
    """When a model is retrained: every so many weeks, after so many new labels, or whichever comes first.

    Attributes:
        every_weeks: None for no interval.
        after_labels: how many new labels and responses since the last training are enough; None to disregard them.
        begins_at, ends_at: the hours between which a training may begin, in the installation's time zone.
        promotes: whether a candidate that passes the gate is put into use.
        labels: number of labels and responses when the schedule was made.
        site: base URL of the links in its mail, such as ``https://kindred.school.example``.
    """

    capability = models.CharField("capability", max_length=12)
    scope = models.CharField("scope", max_length=300, blank=True)
    is_on = models.BooleanField("is on", default=True)
    every_weeks = models.PositiveSmallIntegerField("every (weeks)", null=True, blank=True)
    after_labels = models.PositiveIntegerField("after new labels", null=True, blank=True)
    begins_at = models.TimeField("begins at", default=time(1))
    ends_at = models.TimeField("ends at", default=time(5))
    promotes = models.BooleanField("puts it into use", default=False)
    labels = models.PositiveIntegerField(default=0)
    site = models.CharField(max_length=300, blank=True)
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    set_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "schedule of retraining"
        verbose_name_plural = "schedules of retraining"
        ordering = ("capability", "scope")
        constraints = (models.UniqueConstraint(fields=("capability", "scope"), name="one_schedule_a_model"),)

    def __str__(self) -> str:
        return f"{self.capability}: {self.scope}" if self.scope else self.capability


class Retraining(models.Model):
    """What a schedule did in one night.

    Attributes:
        night: date on which the night began.
        why: why it was due.
        report: what came of it, as people read it: a sentence, then the gate's reasons and the figures, one per line.
        is_dismissed: whether an admin has read it; until then pages show a notice.
    """

    class Outcome(models.TextChoices):
        BUSY = "busy", "Skipped: busy"  # a training may still begin in the same night
        SKIPPED = "skipped", "Skipped"
        UNDER_WAY = "under_way", "Under way"
        KEPT = "kept", "Not put into use"
        PROMOTED = "promoted", "Put into use"
        FAILED = "failed", "Failed"

    FINISHED = (Outcome.KEPT, Outcome.PROMOTED, Outcome.FAILED)

    schedule = models.ForeignKey(RetrainingSchedule, on_delete=models.CASCADE, related_name="retrainings")
    night = models.DateField("night")
    outcome = models.CharField("outcome", max_length=10, choices=Outcome.choices)
    why = models.CharField("why", max_length=200)
    report = models.TextField("report", blank=True)
    training = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="retrainings"
    )
    comparison = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    promotion = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    artifact = models.ForeignKey(
        "questionbank.ModelArtifact", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    is_dismissed = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "retraining"
        ordering = ("-night", "-pk")
        constraints = (models.UniqueConstraint(fields=("schedule", "night"), name="one_retraining_a_night"),)

    def __str__(self) -> str:
        return f"{self.schedule}, {self.night}"

    @property
    def sentence(self) -> str:
        """The first line of the report."""
        return self.report.partition("\n")[0]

    @property
    def figures(self) -> str:
        """The other lines of the report; empty without figures."""
        return self.report.partition("\n")[2]
