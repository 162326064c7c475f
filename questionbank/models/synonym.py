"""Words that mean the same to a search."""

from __future__ import annotations

import pghistory
from django.contrib.postgres.fields import ArrayField
from django.db import models


@pghistory.track(pghistory.InsertEvent(), pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class SynonymGroup(models.Model):
    """Terms for one thing, such as "highest common factor", "HCF" and "GCF": a search for one finds all.

    Attributes:
        terms: two or more, the one that pages show first; no term is in two groups.
    """

    terms = ArrayField(models.CharField(max_length=80), verbose_name="terms")

    class Meta:
        ordering = ("terms",)
        verbose_name = "group of synonyms"
        verbose_name_plural = "synonyms"

    def __str__(self) -> str:
        return ", ".join(self.terms)
