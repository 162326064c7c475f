"""The arithmetic of a word problem."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class QuestionEquation(models.Model):
    """Infix arithmetic without the unknown, as published or entered, e.g. ``(11-1)*2``."""

    question = models.OneToOneField(
        "questionbank.Question", on_delete=models.CASCADE, related_name="equation", primary_key=True
    )
    expression = models.TextField(_("equation"))
    numbers = models.JSONField(_("numbers in order of appearance"), default=list, blank=True)

    class Meta:
        verbose_name = _("equation")
        verbose_name_plural = _("equations")

    def __str__(self) -> str:
        return self.expression
