"""Trained or installed models."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class ModelArtifact(models.Model):
    """A model folder registered with the bank (see `analytics.artifacts` for the folder itself).

    `scope` separates models of one capability that serve different things: each knowledge hierarchy has its own
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
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children"
    )
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
        """The name with the number that tells models of the same name apart."""
        return f"{self.name} (model {self.pk})"
