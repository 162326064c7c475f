"""The pages of a person's web hooks: what is announced where, and what became of it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from questionbank.core.forms import ServiceForm
from questionbank.core.views import button_for, form_for, page_for, paginated, posted, render_deletion, warning_of
from questionbank.hooks.selectors import hook_deliveries, hook_get, hooks_of
from questionbank.hooks.services import delivery_replay, hook_create, hook_delete, hook_set_active, hook_test
from questionbank.models import Hook

DELIVERIES_SHOWN = 50


class HookForm(ServiceForm):
    """A new web hook."""

    main_field = "address"

    address = forms.CharField(
        label="Address",
        widget=forms.TextInput(attrs={"inputmode": "url", "autocomplete": "off", "spellcheck": "false"}),
        help_text="Where your program listens, such as https://example.org/kindred.",
    )
    events = forms.MultipleChoiceField(
        label="What to announce", choices=Hook.Event.choices, widget=forms.CheckboxSelectMultiple
    )


@form_for("read")
def hook_list(request: HttpRequest) -> HttpResponse:
    """List the person's web hooks, and make a new one, whose secret the page shows once."""
    form = HookForm(posted(request))
    context: dict[str, Any] = {"form": form}
    if form.is_valid():
        with form.takes_problems():
            site = request.build_absolute_uri("/")
            hook, secret = hook_create(user=request.user, site=site, **form.cleaned_data)
            context = {"form": HookForm(), "new_hook": hook, "secret": secret}
    context["hooks"] = hooks_of(owner=request.user)
    return render(request, "hooks/list.html", context, status=form.status)


@page_for("read")
def hook_detail(request: HttpRequest, hook_id: int) -> HttpResponse:
    """Show a web hook with its latest deliveries and what the receiver answered."""
    hook = hook_get(user=request.user, hook_id=hook_id)
    deliveries = paginated(request, hook_deliveries(hook=hook), DELIVERIES_SHOWN)
    return render(request, "hooks/detail.html", {"hook": hook, "deliveries": deliveries})


@button_for("read", back="hook_list")
def hook_test_view(request: HttpRequest, hook_id: int) -> HttpResponse:
    """Send a test message."""
    with warning_of(request):
        hook_test(user=request.user, hook_id=hook_id)
        messages.success(request, "A test message is on its way. Reload the page to see the response.")
    return redirect("hook_detail", hook_id)


@button_for("read", back="hook_list")
def hook_active_view(request: HttpRequest, hook_id: int) -> HttpResponse:
    """Disable a web hook, or enable it (`active=1`)."""
    is_active = request.POST.get("active") == "1"
    hook_set_active(user=request.user, hook_id=hook_id, is_active=is_active)
    messages.success(request, "The web hook is enabled." if is_active else "The web hook is disabled.")
    return redirect("hook_detail", hook_id)


@form_for("read")
def hook_delete_view(request: HttpRequest, hook_id: int) -> HttpResponse:
    """Delete a web hook, after confirmation."""
    hook = hook_get(user=request.user, hook_id=hook_id)
    if request.method == "POST":
        hook_delete(user=request.user, hook_id=hook_id)
        messages.success(request, f"The web hook to {hook} is deleted.")
        return redirect("hook_list")
    return render_deletion(
        request,
        f"Delete the web hook to {hook}?",
        consequence="Messages that wait are not sent, and the record of those sent is deleted.",
        button="Delete the web hook",
        back=reverse("hook_detail", args=[hook.pk]),
    )


@button_for("read", back="hook_list")
def hook_replay_view(request: HttpRequest, hook_id: int, delivery_id: int) -> HttpResponse:
    """Send a message again."""
    with warning_of(request):
        delivery_replay(user=request.user, hook_id=hook_id, delivery_id=delivery_id)
        messages.success(request, "The message is on its way again. Reload the page to see the response.")
    return redirect("hook_detail", hook_id)
