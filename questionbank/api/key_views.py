"""The page of a person's API keys, and the documentation of the API."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.core.validators import MaxValueValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from questionbank.api.key_services import LARGEST_RATE, api_key_create, api_key_get, api_key_revoke, api_keys
from questionbank.core.forms import ServiceForm
from questionbank.core.views import form_for, page_for, posted, render_deletion
from questionbank.models import ApiKey
from questionbank.people.owned import NAME_LIMIT

_SCOPES = [  # a literal table
    (ApiKey.Scope.READ, "Read: search, predict, solve, compare and export"),
    (ApiKey.Scope.WRITE, "Write: questions, tags, lists, worksheets and responses; imports"),
    (ApiKey.Scope.REVIEW, "Review: decide on paraphrases"),
    (ApiKey.Scope.TRAIN, "Train: start and cancel jobs, promote models"),
    (ApiKey.Scope.ADMIN, "Administer: concepts and people"),
]
_LATEST = date(2999, 12, 31)  # the day after the last day that Python knows cannot be computed


class ApiKeyForm(ServiceForm):
    """A new key."""

    main_field = "name"

    name = forms.CharField(
        label="Name", max_length=NAME_LIMIT, help_text="What the key is for, such as “Nightly export”."
    )
    scopes = forms.MultipleChoiceField(
        label="What it may do",
        choices=_SCOPES,
        widget=forms.CheckboxSelectMultiple,
        initial=[ApiKey.Scope.READ],
        help_text="Never more than you may do yourself.",
    )
    expires_at = forms.DateField(
        label="Last day",
        widget=forms.DateInput(attrs={"type": "date"}),
        validators=[MaxValueValidator(_LATEST, f"Choose a day before the year {_LATEST.year + 1}.")],
        help_text="After this day the key stops working.",
    )
    rate_limit = forms.IntegerField(label="Requests per minute", min_value=1, max_value=LARGEST_RATE, initial=600)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["expires_at"].initial = timezone.localdate() + timedelta(days=365)

    def service_fields(self) -> dict[str, Any]:
        """Return the arguments of `api_key_create`; a key works until the end of its last day."""
        fields = dict(self.cleaned_data)
        end = datetime.combine(fields["expires_at"] + timedelta(days=1), time.min)
        return fields | {"expires_at": timezone.make_aware(end)}


@form_for("read")
def api_key_list(request: HttpRequest) -> HttpResponse:
    """List the person's keys, and make a new one, which the page shows once."""
    form = ApiKeyForm(posted(request))
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        with form.takes_problems():
            key, secret = api_key_create(user=request.user, **form.service_fields())
            context = {"form": ApiKeyForm(), "new_key": key, "secret": secret}
    context["keys"] = api_keys(owner=request.user)
    return render(request, "api/keys.html", context, status=form.status)


@form_for("read")
def api_key_revoke_view(request: HttpRequest, key_id: int) -> HttpResponse:
    """Revoke one of the person's keys, and what was made with it, after confirmation."""
    key = api_key_get(owner=request.user, key_id=key_id)
    if request.method == "POST":
        revoked = api_key_revoke(user=request.user, key_id=key_id)
        messages.success(request, f"“{key}” is revoked: programs can no longer use it. {revoked.others}".strip())
        return redirect("api_key_list")
    return render_deletion(
        request,
        f"Revoke “{key}”?",
        consequence="Programs that use it are refused from then on."
        " Keys made with it are revoked, and web hooks made with it disabled.",
        button="Revoke the key",
        back=reverse("api_key_list"),
    )


@page_for("read")
def api_docs(request: HttpRequest) -> HttpResponse:
    """Show the documentation of the API, on which requests can be tried out."""
    settings = {"url": reverse("api:openapi"), "layout": "BaseLayout", "deepLinking": True, "validatorUrl": None}
    return render(request, "api/docs.html", {"swagger_settings": settings})
