"""Health pages: one word for load balancers, one word per part for everybody, all checks for admins."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from questionbank.bank.vector_services import embedding_request
from questionbank.core.views import button_for, page_for
from questionbank.operations.health import health_report, public_status, site_is_healthy


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
