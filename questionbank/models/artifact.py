"""Trained or installed models: their history, comparisons, and the number of unused ones to keep."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from questionbank.models.hook import model_hooks


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
