"""How many models that nobody uses an admin keeps."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class ModelRetention(models.Model):
    """The rule of one capability: the newest `keep` of its unused models stay, of each language or hierarchy."""

    capability = models.CharField("capability", max_length=12, unique=True)
    keep = models.PositiveSmallIntegerField("how many are kept")
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    set_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "rule for old models"
        verbose_name_plural = "rules for old models"
        ordering = ("capability",)

    def __str__(self) -> str:
        return f"{self.capability}: {self.keep}"
