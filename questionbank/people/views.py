"""Pages to manage people (invite, give roles, restore access, close an account), and the page of sessions."""

from __future__ import annotations

from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html

from questionbank.core.errors import NotAllowed, NotFound, ValidationFailed
from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, form_for, page_for, warning_of
from questionbank.core.wording import whole_number
from questionbank.models import School, User
from questionbank.people.mail import mail_invite, mail_request_reset, password_link
from questionbank.people.roles import ROLE_EXPLANATIONS, ROLES
from questionbank.people.school_services import person_schools_set
from questionbank.people.selectors import has_provider, people, person_get, session_get, sessions_of
from questionbank.people.services import (
    person_invite,
    person_password_link,
    person_remove_second_factor,
    person_set_active,
    person_update,
    session_end,
)

NAME_LIMIT, EMAIL_LIMIT = 150, 254


def _role_label(role: str) -> Any:
    label = '<span><strong>{}</strong> <span class="soft">{}</span></span>'
    return format_html(label, role.capitalize(), ROLE_EXPLANATIONS[role])


class PersonForm(ServiceForm):
    """Names, e-mail address and roles."""

    first_name = forms.CharField(label="First name", max_length=NAME_LIMIT, required=False)
    last_name = forms.CharField(label="Last name", max_length=NAME_LIMIT, required=False)
    email = forms.EmailField(label="E-mail", max_length=EMAIL_LIMIT, required=False)
    roles = forms.MultipleChoiceField(
        label="Roles",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Without a role a person can log in and sees nothing of the bank.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["roles"].choices = [(role, _role_label(role)) for role in ROLES]  # type: ignore[attr-defined]
        if schools := list(School.objects.all()):
            self.fields["schools"] = forms.TypedMultipleChoiceField(
                label="Schools",
                choices=[(school.pk, str(school)) for school in schools],
                coerce=int,
                required=False,
                widget=forms.CheckboxSelectMultiple,
                help_text="The person sees what belongs to these schools, and what belongs to everybody.",
            )

    def details(self) -> dict[str, Any]:
        """Return the fields of a valid form that are a person's own."""
        return {name: value for name, value in self.cleaned_data.items() if name != "schools"}


class InvitationForm(PersonForm):
    """A new person, with a username."""

    username = forms.CharField(
        label="Log-in name",
        max_length=NAME_LIMIT,
        validators=[UnicodeUsernameValidator()],
        help_text="Letters, digits and @ . + - _ only. It cannot be changed later.",
    )
    email = forms.EmailField(
        label="E-mail",
        max_length=EMAIL_LIMIT,
        required=False,
        help_text="The invitation is sent there. Without an address you get a link to pass on yourself.",
    )
    field_order = ("username", "first_name", "last_name", "email", "roles")


class ResetPasswordForm(ServiceForm):
    """Password reset; addresses are not looked up here, so that response and timing are the same for all of them."""

    email = forms.EmailField(
        label="E-mail", max_length=EMAIL_LIMIT, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Queue the mail."""
        address: str = self.cleaned_data["email"]
        mail_request_reset(address=address, site=request.build_absolute_uri("/"))
        return address


@page_for("people_manage")
def person_list(request: HttpRequest) -> HttpResponse:
    """List everybody with an account, or the people of a `school`."""
    school = whole_number(request.GET.get("school", ""))
    listed = people() if school is None else people().filter(schools=school)
    context = {"people": listed.prefetch_related("schools"), "schools": School.objects.all(), "school": school}
    return render(request, "people/list.html", context)


@form_for("people_manage")
def person_invite_page(request: HttpRequest) -> HttpResponse:
    """Add a person, mail the invitation if there is an address, and show its link."""
    form = InvitationForm(request.POST or None, initial={"roles": ["teacher"]})
    if form.is_valid():
        with form.takes_problems():
            person = person_invite(user=request.user, **form.details())
            _set_schools(request, person, form)
            messages.success(request, f"{person} is added. {_what_next(request, person)}")
            return redirect("person_detail", person_id=person.pk)
    return render(request, "people/invite.html", {"form": form}, status=form.status)


def _what_next(request: HttpRequest, person: User) -> str:
    """Invite a person; return what happens next."""
    if not settings.SIGN_ON.local_passwords:
        return "They log in through a provider, with this e-mail address."
    is_mailed = mail_invite(person=person, inviter=request.user, site=_site(request))
    return f"The invitation is on its way to {person.email}." if is_mailed else "Pass the link below on."


@form_for("people_manage")
def person_detail(request: HttpRequest, person_id: int) -> HttpResponse:
    """Edit a person's name, address and roles; shows the invitation link until they have chosen a password."""
    person = person_get(person_id=person_id)
    form = PersonForm(request.POST or None, initial=_initial(person))
    if form.is_valid():
        with form.takes_problems():
            person_update(user=request.user, person=person, **form.details())
            _set_schools(request, person, form)
            messages.success(request, "The changes are saved.")
            return redirect("person_detail", person_id=person_id)
        person = person_get(person_id=person_id)
    return _person_page(request, person, form)


@button_for("people_manage", back="person_list")
def person_password_link_view(request: HttpRequest, person_id: int) -> HttpResponse:
    """Create a link for a new password and show it once."""
    person = person_get(person_id=person_id)
    with warning_of(request, ValidationFailed):
        link = person_password_link(user=request.user, person=person, site=_site(request))
        return _person_page(request, person, PersonForm(initial=_initial(person)), new_link=link)
    return redirect("person_detail", person_id=person_id)


@button_for("people_manage", back="person_list")
def person_second_factor_view(request: HttpRequest, person_id: int) -> HttpResponse:
    """Remove a lost second factor."""
    person = person_get(person_id=person_id)
    with warning_of(request, ValidationFailed):
        person_remove_second_factor(user=request.user, person=person)
        messages.success(request, f"{person} logs in with the password alone now.")
    return redirect("person_detail", person_id=person_id)


@button_for("people_manage", back="person_list")
def person_active_view(request: HttpRequest, person_id: int) -> HttpResponse:
    """Close (`active` 0) or reopen (`active` 1) an account."""
    person = person_get(person_id=person_id)
    is_active = request.POST.get("active") == "1"
    with warning_of(request, ValidationFailed):
        person_set_active(user=request.user, person=person, is_active=is_active)
        messages.success(request, f"{person} can {'log in again' if is_active else 'no longer log in'}.")
    return redirect("person_detail", person_id=person_id)


def _set_schools(request: HttpRequest, person: User, form: PersonForm) -> None:
    """Let the person belong to the chosen schools, if there are any."""
    if "schools" in form.fields:
        chosen = School.objects.filter(pk__in=form.cleaned_data["schools"])
        person_schools_set(user=request.user, person=person, schools=chosen)


def _initial(person: User) -> dict[str, Any]:
    return {
        "first_name": person.first_name,
        "last_name": person.last_name,
        "email": person.email,
        "roles": [group.name for group in person.groups.all()],
        "schools": person.school_ids,
    }


def _person_page(request: HttpRequest, person: User, form: PersonForm, *, new_link: str = "") -> HttpResponse:
    context = {
        "person": person,
        "form": form,
        "may_change": not person.is_superuser or request.user.is_superuser,
        "invitation": password_link(person=person, site=_site(request)) if _is_invited(person) else "",
        "new_link": new_link,
        "sessions": session_rows(request, person),
        "has_second_factor": is_mfa_enabled(person),
    }
    return render(request, "people/detail.html", context, status=form.status)


def _is_invited(person: User) -> bool:
    """Return whether somebody has yet to choose a password; whoever logs in through a provider has none to choose."""
    return settings.SIGN_ON.local_passwords and not person.has_usable_password() and not has_provider(person=person)


def _site(request: HttpRequest) -> str:
    """Return the base URL of links in mail: the host, one of `ALLOWED_HOSTS`, under which this page was opened."""
    return request.build_absolute_uri("/")


# Marks in a user agent -> names. The first match counts, as browsers also name those below them. Literal tables.
_BROWSERS = {
    "Edg": "Edge",
    "OPR/": "Opera",
    "SamsungBrowser": "Samsung Internet",
    "Firefox": "Firefox",
    "FxiOS": "Firefox",
    "CriOS": "Chrome",
    "Chrome": "Chrome",
    "Safari": "Safari",
}
_SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "CrOS": "ChromeOS",
    "Windows": "Windows",
    "Mac OS X": "a Mac",
    "Linux": "Linux",
}


def device_name(user_agent: str) -> str:
    """Return a name for the device that sent a user agent.

    >>> device_name("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0")
    'Firefox on Windows'
    """
    browser = next((name for mark, name in _BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in user_agent), "")
    return " on ".join(filter(None, [browser, system])) or "an unknown device"


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
        messages.info(request, "There is no such session, or it has ended.")
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
