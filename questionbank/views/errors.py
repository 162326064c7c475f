"""Pages for what went wrong; each says in one sentence what happened and what to do."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.shortcuts import render
from django.template import loader

__all__ = ["bad_request", "page_not_found", "permission_denied", "server_error"]

# Shown when even the template of the error page cannot be rendered (a deployment without its static files).
LAST_RESORT = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Something broke</title></head>
<body><h1>Something broke on our side</h1>
<p>Nothing that you entered was saved by this step. Please try again in a minute.</p>
</body></html>"""


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400: the browser sent something that no page of ours sends."""
    return render(request, "400.html", status=400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403: the person's role does not allow it."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: there is nothing here, or no longer."""
    reason = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    return render(request, "404.html", {"reason": reason}, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: rendered without the request, so that it asks neither database nor session."""
    try:
        return HttpResponseServerError(loader.get_template("500.html").render())
    except Exception:  # noqa: BLE001 - whatever it is, a plain page must still come
        return HttpResponseServerError(LAST_RESORT)
