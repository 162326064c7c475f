"""Searches that are too long for an address."""

from __future__ import annotations

from django.db import models


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
