"""Models that nobody uses: what they take, and the rule by which the oldest are deleted."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.forms.models import RetentionForm
from questionbank.models import ModelArtifact
from questionbank.selectors.registry.health import last_backup
from questionbank.selectors.registry.old_models import (
    model_bytes,
    model_retentions,
    models_bytes,
    old_models,
    rejected_candidates,
)
from questionbank.services.old_models import old_models_request, retention_set
from questionbank.views.access import button_for, form_for


@form_for("models_manage")
def old_models_page(request: HttpRequest) -> HttpResponse:
    """Show what the rule deletes, or would with the numbers of the form; a POST saves them."""
    saved = model_retentions()
    data = request.POST if request.method == "POST" else request.GET if "preview" in request.GET else None
    form = RetentionForm(data, keep=saved)
    if request.method == "POST" and form.is_valid():
        retention_set(user=request.user, keep=form.cleaned_data)
        messages.success(request, "The rule is saved.")
        return redirect("old_models")
    is_wrong = form.is_bound and not form.is_valid()
    keep = form.keep if form.is_bound and not is_wrong else saved
    old = old_models(keep=keep)
    rejected = rejected_candidates()
    context = {
        "form": form,
        "old": [(artifact, model_bytes(artifact)) for artifact in old],
        "old_bytes": models_bytes(old),
        "all_bytes": models_bytes(ModelArtifact.objects.all()),
        "rejected": len(rejected),
        "rejected_bytes": models_bytes(rejected),
        "is_preview": keep != saved,
        "has_rule": bool(keep),
        "backup": last_backup(),
    }
    return render(request, "models/old.html", context, status=422 if is_wrong else 200)


@button_for("models_manage", back="old_models")
def old_models_delete_view(request: HttpRequest) -> HttpResponse:
    """Delete now what the saved rule calls old."""
    old_models_request(user=request.user)
    messages.success(request, "A job deletes the old models now. Each has its line in the history.")
    return redirect("old_models")
