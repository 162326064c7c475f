"""The undo button of the last decision, shown on every review page."""

from __future__ import annotations

from typing import Any

from django import template

from questionbank.review.selectors import decisions_to_undo, grace_seconds, review_keys

register = template.Library()


@register.inclusion_tag("review/_undo.html", takes_context=True)
def undo_of_review(context: dict[str, Any]) -> dict[str, Any]:
    """Return the reviewer's latest decision that can be undone, with its button and remaining time."""
    user = getattr(context.get("request"), "user", None)
    if user is None or not user.has_perm("questionbank.review"):
        return {}
    last = decisions_to_undo(reviewer=user).first()
    if last is None:
        return {}
    return {
        "last": last,
        "seconds": grace_seconds(pair=last.pair, person=user),
        "undo_key": review_keys(reviewer=user)["undo"],
        "csrf_token": context.get("csrf_token"),
    }
