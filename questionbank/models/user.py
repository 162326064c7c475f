"""People. Roles are Django groups: teacher, reviewer, admin (see `questionbank.permissions`)."""

from __future__ import annotations

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):
    """A person who can log in; sign-up is closed, an admin adds people."""

    def __str__(self) -> str:
        return self.get_full_name() or self.get_username()
