"""Pages of scheduled retraining: what is due, what came of it, and the form of a schedule."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from questionbank.core.errors import NotFound
from questionbank.core.views import button_for, form_for, page_for, paginated, posted
from questionbank.models import RetrainingSchedule
from questionbank.training.retraining_forms import ScheduleForm
from questionbank.training.retraining_selectors import (
    RetrainedModel,
    retrainable,
    retrained_models,
    retraining_history,
    schedule_of,
)
from questionbank.training.retraining_services import retraining_dismiss, schedule_set

PAGE_SIZE = 50


@page_for("models_manage")
def retraining_list(request: HttpRequest) -> HttpResponse:
    """Show each model's schedule, and what all schedules did."""
    context = {"models": retrained_models(), "page": paginated(request, retraining_history(), PAGE_SIZE)}
    return render(request, "registry/models/retraining.html", context)


@form_for("models_manage")
def retraining_schedule(request: HttpRequest, capability: str) -> HttpResponse:
    """Show or save a model's schedule; `?scope=` is the hierarchy or language of the model."""
    scope = request.POST.get("scope", request.GET.get("scope", "")).replace("\0", "")
    schedule = schedule_of(capability=capability, scope=scope)
    if schedule is None:
        if (capability, scope) not in retrainable():
            raise NotFound("There is no such model to retrain.")
        schedule = RetrainingSchedule(capability=capability, scope=scope)
    form = ScheduleForm(posted(request), schedule=schedule)
    if form.is_valid():
        with form.takes_problems():
            schedule_set(
                user=request.user,
                capability=capability,
                scope=scope,
                values=form.cleaned_data,
                site=request.build_absolute_uri("/"),
            )
            messages.success(request, "The schedule is saved.")
            return redirect("model_retraining")
    context = {"form": form, "model": RetrainedModel(capability, scope)}
    return render(request, "registry/models/schedule.html", context, status=form.status)


@button_for("models_manage", back="model_retraining")
def retraining_read(request: HttpRequest, retraining_id: int) -> HttpResponse:
    """Hide the notice of a retraining."""
    retraining_dismiss(user=request.user, retraining_id=retraining_id)
    return redirect("model_retraining")
