"""What every page of the review shows: the way back from the last decision."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import timezone

from questionbank.selectors.review.review import last_decision, review_keys
from questionbank.services.review import UNDO_WITHIN

__all__ = ["undo_of_review"]

register = template.Library()


@register.inclusion_tag("review/_undo.html", takes_context=True)
def undo_of_review(context: dict[str, Any]) -> dict[str, Any]:
    """Return the reviewer's last decision, where it is young enough, with the button that takes it back."""
    user = getattr(context.get("request"), "user", None)
    if user is None or not user.has_perm("questionbank.review"):
        return {}
    last = last_decision(reviewer=user)
    if last is None or last.created_at < timezone.now() - UNDO_WITHIN:
        return {}
    return {
        "last": last,
        "undo_key": review_keys(reviewer=user)["undo"],
        "csrf_token": context.get("csrf_token"),
    }
