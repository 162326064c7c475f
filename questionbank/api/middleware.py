"""Middleware of the API: a request id for every request, and one shape for errors raised outside of operations."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from questionbank.api.errors import error_response

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
        if not request.path.startswith(PREFIX):
            return self.get_response(request)
        given = request.headers.get("X-Request-ID", "")
        request.request_id = given if _REQUEST_ID.fullmatch(given) else str(uuid.uuid4())  # type: ignore[attr-defined]
        request.META["HTTP_X_REQUEST_ID"] = request.request_id  # type: ignore[attr-defined] # the log's name for it
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
        return response
