"""What a line of a test paper is called: `{{ role|role_name }}`."""

from __future__ import annotations

from django import template

from questionbank.documents.paper import Role
from questionbank.forms.documents import ROLE_NAMES

register = template.Library()


@register.filter
def role_name(role: Role) -> str:
    """Return a role as people call it."""
    return ROLE_NAMES[role]
