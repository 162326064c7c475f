"""The bank's own words, against which misspelt search words are corrected."""

from __future__ import annotations

from django.db import models


class VocabularyWord(models.Model):
    """A word that occurs in the bank and the number of questions that hold it.

    Refilled from `ts_stat` after imports; see `questionbank.services.search_index`.
    """

    word = models.CharField(max_length=100, primary_key=True)
    questions = models.PositiveIntegerField()

    class Meta:
        verbose_name_plural = "vocabulary"

    def __str__(self) -> str:
        return self.word
