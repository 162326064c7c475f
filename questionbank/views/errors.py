"""Pages for what went wrong; each says in one sentence what happened and what to do."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template import loader

from questionbank.outage import Outage, outage_of

RETRY_AFTER = {Outage.LOST: 3, Outage.SLOW: 10, Outage.FULL: 60}  # seconds; a literal table

# Shown when even the template of the error page cannot be rendered (a deployment without its static files).
LAST_RESORT = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Something broke</title></head>
<body><h1>Something went wrong on our side</h1>
<p>Nothing that you entered was saved by this step. Please try again in a minute.</p>
</body></html>"""


def bad_request(
    request: HttpRequest,
    exception: Exception,  # noqa: ARG001 - by Django's name
) -> HttpResponse:
    """Return 400: the browser sent something that no page of ours sends."""
    return render(request, "400.html", status=400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 403: the person's role does not allow it."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 404: there is nothing here, or no longer."""
    reason = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    return render(request, "404.html", {"reason": reason}, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return 500, or 503 during an outage, without the request: the page asks neither database nor session."""
    outage = outage_of(sys.exc_info()[1])
    if outage is not None:
        return _unavailable(request, outage)
    try:
        return HttpResponseServerError(loader.get_template("500.html").render())
    except Exception:  # noqa: BLE001 - whatever it is, a plain page must still come
        return HttpResponseServerError(LAST_RESORT)


def _unavailable(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Return 503 with Retry-After for the middleware; a page that was only read loads itself again."""
    seconds = RETRY_AFTER[outage]
    context = {"outage": outage, "seconds": seconds, "reads": request.method in ("GET", "HEAD")}
    try:
        content = loader.get_template("503.html").render(context)
    except Exception:  # noqa: BLE001 - as above
        content = LAST_RESORT
    response = HttpResponse(content, status=503, headers={"Retry-After": str(seconds)})
    response.outage = outage  # type: ignore[attr-defined]
    return response
