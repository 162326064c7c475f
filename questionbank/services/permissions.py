"""Who may do something."""

from __future__ import annotations

from django.db.models import Model

from questionbank.errors import NotAllowed
from questionbank.models import QuestionList, User, Worksheet


def require(user: User | None, permission: str, refusal: str, target: Model | None = None) -> None:
    """Check that a person has ``questionbank.<permission>``, for `target` where given.

    Args:
        user: None is the system itself: commands, imports and the demo.

    Raises:
        NotAllowed: they do not; `refusal` is its sentence.
    """
    if user is not None and not user.has_perm(f"questionbank.{permission}", target):
        raise NotAllowed(refusal)


def require_owner(user: User, row: QuestionList | Worksheet) -> None:
    """Check that a list or a worksheet is the person's own.

    Raises:
        NotAllowed: it is somebody else's.
    """
    if row.owner_id != user.pk:
        noun = "list" if isinstance(row, QuestionList) else "worksheet"
        raise NotAllowed(f"This {noun} belongs to somebody else.")
