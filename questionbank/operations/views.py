"""Pages of operations: jobs, with live progress, cancelling and restarting; and health.

htmx polls the live part of a job every 2 s. Its ETag is the state of the run, so an unchanged part is a
304 without rendering a template. Without JavaScript the page reloads itself while the job runs.

Only the live part shows a job's state: a message above it would be outdated when the state changes.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.http import condition, require_safe

from questionbank.bank.vector_services import embedding_request
from questionbank.core.capability_catalog import job_kind_name, job_kinds, training_of
from questionbank.core.views import button_for, check_permission, page_for, paginated, warning_of
from questionbank.imports.undo_selectors import import_can_be_undone, import_undo_runs
from questionbank.imports.updates import import_conflicts_of
from questionbank.jobs.run_selectors import (
    run_get,
    run_has_checkpoint,
    run_logs,
    run_metric_series,
    run_version,
    run_wait,
    runs,
    vectors_awaited,
)
from questionbank.jobs.run_services import run_cancel, run_dismiss, run_retry
from questionbank.models import Question, Run
from questionbank.operations.health import health_report, public_status, site_is_healthy
from questionbank.registry.curve_views import loss_note, result_tables, training_charts

PAGE_SIZE = 25


@page_for("read")
def run_list(request: HttpRequest) -> HttpResponse:
    """Show all jobs, latest first."""
    return render(request, "registry/runs/list.html", {"page": paginated(request, runs(), PAGE_SIZE)})


@page_for("read")
def run_detail(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show one job with its progress, result and log."""
    return render(request, "registry/runs/detail.html", _context(request, run_get(run_id=run_id)))


def _progress_etag(request: HttpRequest, run_id: int) -> str:
    version = run_version(run_id=run_id)
    if version.startswith(Run.State.QUEUED):  # jobs that finish change its position
        version += f"/{run_wait(run=run_get(run_id=run_id))}"
    return f'"{sha256(f"{request.user.pk}/{version}".encode()).hexdigest()[:32]}"'


@page_for("read")
@cache_control(private=True, no_cache=True)
@condition(etag_func=_progress_etag)
def run_progress(request: HttpRequest, run_id: int) -> HttpResponse:
    """Show the live part of a job's page."""
    return render(request, "registry/runs/_progress.html", _context(request, run_get(run_id=run_id)))


@button_for("runs_manage")
def run_cancel_view(request: HttpRequest, run_id: int) -> HttpResponse:
    """Request that a job stop."""
    run_get(run_id=run_id)
    with warning_of(request):
        if run_cancel(run_id=run_id).is_finished:
            messages.success(request, "The job is cancelled.")
    return redirect("run_detail", run_id=run_id)


@button_for("read")
def run_retry_view(request: HttpRequest, run_id: int) -> HttpResponse:
    """Queue a failed or cancelled job again; allowed for admins and the person who requested it."""
    check_permission(request, "run_restart", run_get(run_id=run_id))
    with warning_of(request):
        run_retry(run_id=run_id)
    return redirect("run_detail", run_id=run_id)


@button_for("runs_manage")
def run_dismiss_view(request: HttpRequest, run_id: int) -> HttpResponse:
    """Remove a failed job from the health page."""
    run_get(run_id=run_id)
    with warning_of(request):
        run_dismiss(run_id=run_id)
        messages.success(request, "The failure no longer counts on the health page.")
    return redirect("run_detail", run_id=run_id)


def _context(request: HttpRequest, run: Run) -> dict[str, Any]:
    series = run_metric_series(run=run)
    may_read = request.user.has_perm("questionbank.run_read", run)
    is_import = run.kind == Run.Kind.IMPORT
    return {
        "run": run,
        "kind_name": job_kind_name(run.kind),
        "job_template": job.template if (job := job_kinds().get(run.kind)) else "",
        "result": result_tables(run.result or {}),
        "logs": run_logs(run=run) if may_read else [],
        "wait": run_wait(run=run),
        "epoch": int(series["epoch"][-1][1]) + 1 if "epoch" in series else None,
        "charts": training_charts(series),
        "loss_note": loss_note(run),
        "may_resume": run.state in (Run.State.FAILED, Run.State.CANCELLED) and run_has_checkpoint(run=run),
        "may_read": may_read,
        "may_restart": request.user.has_perm("questionbank.run_restart", run),
        "may_manage": request.user.has_perm("questionbank.runs_manage"),
        "may_continue": request.user.has_perm("questionbank.import_continue", run),
        "can_undo": import_can_be_undone(run=run),
        "conflicts": import_conflicts_of(run=run).count() if is_import else 0,
        "options": _options(run),
        "undo_runs": import_undo_runs(run=run) if is_import else (),
        "vectors_awaited": vectors_awaited(user=request.user) if is_import else "",
        "as_drafts": run.parameters.get("status") == Question.Status.DRAFT,
        "is_dry_run": is_import and bool(run.parameters.get("dry_run")),
    }


def _options(run: Run) -> list[tuple[Any, Any]]:
    """Return a training run's options (other than settings) with their readable titles."""
    training = training_of(run.capability) if run.kind == Run.Kind.TRAIN else None
    return [
        (option.title, option.shown(run.parameters.get(option.name)))
        for option in (training.options if training else ())
    ]


@login_not_required
@require_safe
@never_cache
def health_status(_request: HttpRequest) -> HttpResponse:
    """Return 200 or 503 and one word, so that nothing here helps an attacker."""
    healthy = site_is_healthy()
    return JsonResponse({"status": "ok" if healthy else "failing"}, status=200 if healthy else 503)


@login_not_required
@require_safe
@never_cache
def site_status(_request: HttpRequest) -> HttpResponse:
    """Return the version and a word for each part of the site; 503 if pages or log-in fail."""
    status = public_status()
    return JsonResponse(status, status=503 if status["status"] == "failing" else 200)


@button_for("health", back="health")
def health_vectors(request: HttpRequest) -> HttpResponse:
    """Request missing vectors."""
    run = embedding_request()
    if run is None:
        messages.info(request, "A job that computes missing vectors is queued already.")
        return redirect("health")
    return redirect("run_detail", run_id=run.pk)


@page_for("health")
def health(request: HttpRequest) -> HttpResponse:
    """Show every check with its figures."""
    return render(request, "operations/health.html", {"report": health_report()})
