"""Pages of training: the form with its data, settings and expected duration; and schedules of retraining."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from analytics.catalog import CAPABILITIES
from questionbank.bank.concept_selectors import default_hierarchy, hierarchies
from questionbank.core.capability_catalog import training_of
from questionbank.core.capability_report import CachedReport, Report
from questionbank.core.errors import Conflict, NotFound
from questionbank.core.views import button_for, form_for, page_for, paginated, posted
from questionbank.jobs.run_selectors import model_jobs
from questionbank.models import Question, RetrainingSchedule, Run
from questionbank.training.analogy import graph_groups, graph_pairs
from questionbank.training.forms import ScheduleForm, TrainingForm
from questionbank.training.retraining_selectors import (
    RetrainedModel,
    retrainable,
    retrained_models,
    retraining_history,
    schedule_of,
)
from questionbank.training.retraining_services import retraining_dismiss, schedule_set
from questionbank.training.services import report_request, training_request
from questionbank.training.start import expected_time, training_start

COUNTED_AT_ONCE = 5_000  # questions in a bank small enough to compute the report within the request


def training_report(capability: str) -> CachedReport:
    """Return the report that the capability defines.

    Raises:
        NotFound: the capability is not trained on the bank.
    """
    training = training_of(capability)
    if training is None:
        raise NotFound(f"“{capability}” is not trained on the bank.")
    return training.report


def report_at_once(*, capability: str, hierarchies: Sequence[str] | None) -> Report | None:
    """Return the report for a training form; None if it is not cached and the bank is too large to count at once."""
    report = training_report(capability)
    is_small = Question.objects.all()[: COUNTED_AT_ONCE + 1].count() <= COUNTED_AT_ONCE
    return report(hierarchies=hierarchies) if is_small else report.cached(hierarchies=hierarchies)


PAIRS_SHOWN = 10


@form_for("models_manage")
def model_train(request: HttpRequest, capability: str) -> HttpResponse:
    """Show the data and settings for training a model; a POST requests the job.

    The button “look” (`action=report`) shows the report for the chosen hierarchies and keeps the input.
    `?like=<id>` starts with the settings of a model, `?quick=1` with those for training within minutes on any
    machine, `?defaults=1` with the configuration's defaults. Otherwise the capability decides.
    """
    training = training_of(capability)
    if training is None:
        raise NotFound("Models of this kind are not trained from a form.")
    names = [hierarchy.name for hierarchy in hierarchies()]
    start = training_start(
        capability=capability,
        training=training,
        like=request.GET.get("like", ""),
        quick="quick" in request.GET,
        defaults="defaults" in request.GET,
    )
    only_looks = request.POST.get("action") == "report"
    form = TrainingForm(
        posted(request),
        config_class=CAPABILITIES[capability].config,
        hierarchies=names,
        one_hierarchy=_first_hierarchy(request) if training.scope == "hierarchy" else "",
        groups=training.groups,
        options=training.options,
        initial=start.settings,
    )
    for name, help_text in (start.quick.help_texts if start.quick else {}).items():
        form.fields[name].help_text = help_text
    if form.is_valid() and not only_looks:
        with form.takes_problems(Conflict):
            run = training_request(
                capability=capability,
                settings=form.settings(),
                hierarchies=form.chosen_hierarchies(),
                user=request.user,
                answers=form.chosen_options(),
            )
            return redirect("run_detail", run_id=run.pk)
    chosen = form.chosen_hierarchies()
    context = {
        "form": form,
        "title": CAPABILITIES[capability].title,
        "then": training.then,
        **_report(request, capability, chosen),
        "jobs": [run for run in model_jobs(kind=Run.Kind.TRAIN) if run.capability == capability],
        "problem": form.refusal,
        "model_like": start.champion if start.champion and start.champion.manifest.get("config") else None,
        "is_like": bool(form.initial),
        "quick": start.quick,
        "is_quick": start.is_quick,
        "first_time": training.first_time,
    }
    if asked := form.asked():
        settings, options = asked
        context["time"] = expected_time(
            capability=capability,
            settings=settings,
            parameters={**options, "hierarchies": chosen},
            report=context["report"],
        )
    return render(request, "registry/models/train.html", context, status=200 if only_looks else form.status)


@page_for("models_manage")
def model_training_report(request: HttpRequest, capability: str) -> HttpResponse:
    """Show the report of the training form, or the progress of its count."""
    if training_of(capability) is None:
        raise NotFound("Models of this kind are not trained from a form.")
    hierarchy_names = {hierarchy.name for hierarchy in hierarchies()}
    chosen = [name for name in request.GET.getlist("hierarchies") if name in hierarchy_names]
    context = _report(request, capability, chosen or None)
    return render(request, "registry/models/_training_report.html", context)


@page_for("models_manage")
def model_graph_pairs(request: HttpRequest) -> HttpResponse:
    """Show pairs of problems with the same computation, from which a retriever learns."""
    page = paginated(request, graph_groups(), PAIRS_SHOWN)
    context = {"page": page, "pairs": graph_pairs(list(page))}
    return render(request, "registry/models/analogy/pairs.html", context)


def _report(request: HttpRequest, capability: str, chosen: Sequence[str] | None) -> dict[str, Any]:
    """Return the context of a training report; for a large bank a job makes the counts and the page polls for them."""
    counted = report_at_once(capability=capability, hierarchies=chosen)
    address = reverse("model_training_report", args=[capability])
    return {
        "chosen": chosen,
        "report": counted,
        "report_address": f"{address}?{urlencode({'hierarchies': chosen or []}, doseq=True)}",
        "counting": None
        if counted is not None
        else report_request(capability=capability, hierarchies=chosen, user=request.user),
    }


def _first_hierarchy(request: HttpRequest) -> str:
    """Return the initial hierarchy of a form for one hierarchy: the query parameter, else the bank's default."""
    default = default_hierarchy()
    return request.GET.get("hierarchy", "") or (default.name if default else "")


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
