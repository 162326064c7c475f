"""What searches need: words of the bank, words that mean the same, texts too long for an address."""

from __future__ import annotations

import pghistory
from django.contrib.postgres.fields import ArrayField
from django.db import models


class VocabularyWord(models.Model):
    """A word that occurs in the bank and the number of questions that hold it.

    Refilled from `ts_stat` after imports; see `questionbank.services.search_index`.
    """

    word = models.CharField(max_length=100, primary_key=True)
    questions = models.PositiveIntegerField()

    def __str__(self) -> str:
        return self.word


@pghistory.track(pghistory.InsertEvent(), pghistory.UpdateEvent(row=pghistory.Old), pghistory.DeleteEvent())
class SynonymGroup(models.Model):
    """Terms for one thing, such as "highest common factor", "HCF" and "GCF": a search for one finds all.

    Attributes:
        terms: two or more, the one that pages show first; no term is in two groups.
    """

    terms = ArrayField(models.CharField(max_length=80), verbose_name="terms")

    class Meta:
        ordering = ("terms",)

    def __str__(self) -> str:
        return ", ".join(self.terms)


class LongQuery(models.Model):
    """The text of a search under a short key, so that its results have an address that can be shared.

    Attributes:
        key: of the text, so that one text has one address.
        used_at: when it was last searched; what nobody used for long is deleted.
    """

    key = models.CharField(max_length=24, primary_key=True)
    text = models.TextField()
    used_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.text[:80]
