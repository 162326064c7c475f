"""Context for every template."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from questionbank.people.mail import mail_is_on
from questionbank.people.permissions import roles_of
from questionbank.people.roles import DEMO_PEOPLE

THEME_COOKIE = "theme"
THEMES = (  # value in the cookie, label, icon
    ("system", "As the system", "screen"),
    ("light", "Light", "sun"),
    ("dark", "Dark", "moon"),
)


def site(request: HttpRequest) -> dict[str, Any]:
    """Return the theme, mail, time zone, how people log in, and the user's role; in demo mode also the demo's log-ins.

    The theme is a cookie rather than set by a script, so that no page flashes in the wrong colours and the
    switch works without JavaScript.
    """
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return {
        "demo": settings.DEMO,
        "demo_people": DEMO_PEOPLE if settings.DEMO else (),
        "theme": theme if theme in {value for value, *_rest in THEMES} else "system",
        "themes": THEMES,
        "mail_is_on": mail_is_on(),
        "sign_on": settings.SIGN_ON,
        "has_password": SimpleLazyObject(lambda: _has_password(request)),
        "time_zone": settings.TIME_ZONE,
        "role": SimpleLazyObject(lambda: _role(request)),
    }


def _role(request: HttpRequest) -> str:
    user = getattr(request, "user", None)
    if user is None or not user.is_authenticated:
        return ""
    if user.is_superuser:
        return "admin"
    return ", ".join(roles_of(user))


def _has_password(request: HttpRequest) -> bool:
    """Return whether the person has a password here that works."""
    user = getattr(request, "user", None)
    return bool(user and user.has_usable_password() and settings.SIGN_ON.takes_password_of(user.get_username()))
