"""How people get in: sign-up is closed, an admin adds them."""

from __future__ import annotations

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest


class ClosedSignupAdapter(DefaultAccountAdapter):
    """Refuses self-registration."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False
