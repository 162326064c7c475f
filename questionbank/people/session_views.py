"""The page of one's own sessions, and the button that ends one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.core.errors import NotAllowed, NotFound
from questionbank.core.views import button_for, page_for
from questionbank.models import User
from questionbank.people.devices import device_name
from questionbank.people.session_selectors import session_get, sessions_of
from questionbank.people.session_services import session_end


@page_for("account_use")
def session_list(request: HttpRequest) -> HttpResponse:
    """Show where the person is logged in."""
    return render(request, "people/sessions.html", {"sessions": session_rows(request, request.user)})


@button_for("account_use", back="session_list")
def session_end_view(request: HttpRequest, session_id: int) -> HttpResponse:
    """End a session, one's own or, for admins, anybody's."""
    try:
        session = session_get(session_id=session_id)
        session_end(user=request.user, session=session)
    except (NotAllowed, NotFound):  # alike, so that nobody learns which sessions there are
        messages.info(request, "There is no such session, or no longer.")
        return redirect("session_list")
    if session.session_key == request.session.session_key:
        return redirect("account_login")
    messages.success(request, f"The session on {device_name(session.user_agent)} has ended.")
    if session.user_id == request.user.pk:
        return redirect("session_list")
    return redirect("person_detail", person_id=session.user_id)


def session_rows(request: HttpRequest, person: User) -> list[dict[str, Any]]:
    """Return what a page says of each session of a person."""
    return [
        {
            "session": session,
            "device": device_name(session.user_agent),
            "is_this": session.session_key == request.session.session_key,
        }
        for session in sessions_of(person=person)
    ]
