"""Middleware of the API: a request id for every request, and one shape for errors raised outside of operations."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from typing import Any

import structlog
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django_structlog.signals import bind_extra_request_metadata

from questionbank.api.errors import MCP_PATH, error_response

PREFIX = "/api/v1/"
_REQUEST_ID = re.compile(r"[\w.-]{1,64}", re.ASCII)
_KEPT = ("Allow", "Retry-After", "WWW-Authenticate", "X-Frame-Options")  # headers of an error page that remain


class ApiMiddleware:
    """Name each request by ``X-Request-ID``, and turn error pages into errors in the API's shape.

    It runs outside of everything that can answer with a page: a wrong method, an unknown address, a body that is too
    large, a missing database, an unexpected error.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(PREFIX) and request.path != MCP_PATH:
            return self.get_response(request)
        given = request.headers.get("X-Request-ID", "")
        request.request_id = given if _REQUEST_ID.fullmatch(given) else str(uuid.uuid4())  # type: ignore[attr-defined]
        response = self.get_response(request)
        if response.status_code >= 400 and not response.headers.get("Content-Type", "").startswith("application/json"):
            page, response = response, error_response(request, response.status_code)
            for name in _KEPT:
                if name in page:
                    response[name] = page[name]
        for name, value in getattr(request, "rate_limit_headers", {}).items():
            response[name] = value
        response["X-Request-ID"] = request.request_id  # type: ignore[attr-defined]
        response["Cache-Control"] = "no-store"
        if request.method == "HEAD":
            _empty(response)
        return response


@receiver(bind_extra_request_metadata)
def log_request_id(request: HttpRequest, **_sent: Any) -> None:
    """Give the lines that the log has about a request the id that its response has."""
    if hasattr(request, "request_id"):
        structlog.contextvars.bind_contextvars(request_id=request.request_id)


def _empty(response: HttpResponse) -> None:
    """Drop the body of a response to HEAD, and keep the length that it would have."""
    if response.streaming:
        response.streaming_content = iter(())  # type: ignore[attr-defined]
    else:
        response.headers.setdefault("Content-Length", str(len(response.content)))
        response.content = b""
