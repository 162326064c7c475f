"""People. Roles are Django groups: teacher, reviewer, admin (see `questionbank.permissions`)."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """A person who can log in; sign-up is closed, an admin adds people.

    Attributes:
        hierarchy: the person predicts concepts in it; None for the bank's default.
    """

    hierarchy = models.ForeignKey(
        "questionbank.KnowledgeHierarchy",
        verbose_name=_("hierarchy for predictions"),
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="+",
    )

    def __str__(self) -> str:
        return self.get_full_name() or self.get_username()
