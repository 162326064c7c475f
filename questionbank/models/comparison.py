"""Two models measured on the same questions."""

from __future__ import annotations

from django.db import models


class ModelComparison(models.Model):
    """What one comparison job found; `figures` are `questionbank.capabilities.figures.Figures`."""

    candidate = models.ForeignKey(
        "questionbank.ModelArtifact", on_delete=models.CASCADE, related_name="comparisons"
    )
    champion = models.ForeignKey(
        "questionbank.ModelArtifact", on_delete=models.CASCADE, related_name="comparisons_as_champion"
    )
    run = models.ForeignKey(
        "questionbank.Run", null=True, blank=True, on_delete=models.SET_NULL, related_name="comparisons"
    )
    figures = models.JSONField("figures", default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = "comparison of models"
        verbose_name_plural = "comparisons of models"
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return f"{self.candidate_id} / {self.champion_id}"
