"""Who changed which model serves, when and why."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class ModelEvent(models.Model):
    """One entry of the history of models. It outlives the models it names, so it keeps their names.

    Attributes:
        former: the champion that `artifact` replaced, for a promotion or a roll back.
        gate: the verdict at that time, ``{"passes", "outcome", "reasons", "overridden", "comparison"}``; empty
            where nothing was judged.
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
        verbose_name = "event of a model"
        verbose_name_plural = "history of models"
        ordering = ("-created_at", "-pk")
        indexes = (models.Index(fields=("capability", "-created_at"), name="model_event_capability"),)

    def __str__(self) -> str:
        return f"{self.kind}: {self.artifact_name}"
