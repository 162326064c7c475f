"""Trained or installed models: their history, comparisons, number of unused ones that are kept, and when to retrain."""

from __future__ import annotations

from datetime import time

from django.conf import settings
from django.db import models
from django.db.models import Q

from questionbank.models.integrations import model_hooks


class ModelArtifact(models.Model):
    """A model folder registered with the bank (see `analytics.artifacts` for the folder itself).

    `scope` distinguishes models of one capability that serve different things: each knowledge hierarchy has its own
    probes, and each language its own solver.
    """

    class State(models.TextChoices):
        CANDIDATE = "candidate", "Candidate"
        CHAMPION = "champion", "Champion"
        ARCHIVED = "archived", "Archived"

    capability = models.CharField("capability", max_length=12)
    scope = models.CharField("scope", max_length=300, blank=True)
    name = models.CharField("name", max_length=200)
    state = models.CharField("state", max_length=10, choices=State.choices, default=State.CANDIDATE)
    manifest = models.JSONField("manifest", default=dict)
    checksum = models.CharField(max_length=64)  # SHA-256 over the folder's files; the cache key everywhere
    location = models.CharField(max_length=300)  # folder name inside the storage alias "artifacts"
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children")
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "model"
        verbose_name_plural = "models"
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(
                fields=("capability", "scope"),
                condition=Q(state="champion"),
                name="one_champion_a_capability_and_scope",
            ),
        )

    def __str__(self) -> str:
        return f"{self.capability}: {self.name}"

    @property
    def numbered_name(self) -> str:
        """The name followed by the id, which distinguishes models with the same name."""
        return f"{self.name} (model {self.pk})"


class ModelEvent(models.Model):
    """One entry of the models' history. It outlives the models, so it stores their names.

    Attributes:
        former: the champion that `artifact` replaced, for a promotion or a rollback.
        gate: the verdict at that time, ``{"passes", "outcome", "reasons", "overridden", "comparison"}``; empty
            if nothing was judged.
    """

    class Kind(models.TextChoices):
        REGISTERED = "registered", "Registered"
        PROMOTED = "promoted", "Promoted"
        ROLLED_BACK = "rolled_back", "Rolled back"
        ARCHIVED = "archived", "Archived"
        DELETED = "deleted", "Deleted"

    kind = models.CharField("what happened", max_length=12, choices=Kind.choices)
    capability = models.CharField("capability", max_length=12)
    scope = models.CharField("scope", max_length=300, blank=True)
    artifact = models.ForeignKey(
        "questionbank.ModelArtifact", null=True, blank=True, on_delete=models.SET_NULL, related_name="events"
    )
    artifact_name = models.CharField("model", max_length=200)
    former = models.ForeignKey(
        "questionbank.ModelArtifact", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    former_name = models.CharField("former model", max_length=200, blank=True)
    reason = models.TextField("reason", blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    gate = models.JSONField("gate", default=dict, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")
        indexes = (models.Index(fields=("capability", "-created_at"), name="model_event_capability"),)
        triggers = model_hooks()

    def __str__(self) -> str:
        return f"{self.kind}: {self.artifact_name}"


class ModelComparison(models.Model):
    """The result of a comparison job; `figures` are `questionbank.core.capability_figures.Figures`."""

    candidate = models.ForeignKey("questionbank.ModelArtifact", on_delete=models.CASCADE, related_name="comparisons")
    champion = models.ForeignKey(
        "questionbank.ModelArtifact", on_delete=models.CASCADE, related_name="comparisons_as_champion"
    )
    run = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="comparisons"
    )
    figures = models.JSONField("figures", default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.candidate_id} / {self.champion_id}"


class ModelRetention(models.Model):
    """Retention of one capability: the newest `keep` unused models of each language or hierarchy are kept."""

    capability = models.CharField("capability", max_length=12, unique=True)
    keep = models.PositiveSmallIntegerField("how many are kept")
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    set_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("capability",)

    def __str__(self) -> str:
        return f"{self.capability}: {self.keep}"


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
        BUSY = "busy", "Skipped: busy"  # training may still begin the same night
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
