"""The forms that add and change people."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.http import HttpRequest
from django.utils.html import format_html

from questionbank.context import ROLE_NAMES
from questionbank.forms.problems import ServiceForm
from questionbank.permissions import ROLES
from questionbank.selectors.questions.people import ROLE_EXPLANATIONS
from questionbank.services.mail import mail_request_reset

NAME_LIMIT, EMAIL_LIMIT = 150, 254


def _role_label(role: str) -> Any:
    name = ROLE_NAMES[role].capitalize()
    return format_html(
        '<span><strong>{}</strong> <span class="soft">{}</span></span>', name, ROLE_EXPLANATIONS[role]
    )


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


class InvitationForm(PersonForm):
    """A new person: the same with the name that they log in with."""

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
    """Who forgot a password. Nothing here looks the address up: the page answers alike, and as fast, for every one."""

    email = forms.EmailField(
        label="E-mail", max_length=EMAIL_LIMIT, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )

    def save(self, request: HttpRequest, **kwargs: Any) -> str:
        """Queue the mail."""
        address: str = self.cleaned_data["email"]
        mail_request_reset(address=address, site=request.build_absolute_uri("/"))
        return address
