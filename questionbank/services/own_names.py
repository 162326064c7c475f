"""Names that people give to what is theirs, such as a list: each person has a name once."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from questionbank.errors import ValidationFailed

NAME_LIMIT = 120


def checked_name(others: QuerySet[Any], name: str, *, noun: str) -> str:
    """Return a name without needless blanks.

    Args:
        others: the person's other rows of this kind.
        noun: what is named: "list".

    Raises:
        ValidationFailed: the name is empty, too long, or one of the others has it.
    """
    name = " ".join(name.replace("\x00", "").split())
    problem = ""
    if not name:
        problem = f"Enter a name for the {noun}."
    elif len(name) > NAME_LIMIT:
        problem = f"Use at most {NAME_LIMIT} characters."
    elif others.filter(name=name).exists():
        problem = f"You already have a {noun} with this name."
    if problem:
        raise ValidationFailed.beside("name", problem)
    return name
