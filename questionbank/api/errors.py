"""The one shape of every error of the API: ``{"error": {"code", "message", "fields", "request_id"}}``.

The middleware gives it to errors raised outside of operations, and every request its id.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.dispatch import receiver
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django_structlog.signals import bind_extra_request_metadata
from ninja import NinjaAPI
from ninja.errors import HttpError
from ninja.errors import ValidationError as InvalidRequest

from questionbank.core.errors import (
    Busy,
    Conflict,
    KindredError,
    NotAllowed,
    NotFound,
    ServiceUnavailable,
    ValidationFailed,
)

STATUS_OF_ERROR = {  # the first class that fits counts; a literal table
    ValidationFailed: 422,
    NotAllowed: 403,
    NotFound: 404,
    Conflict: 409,
    ServiceUnavailable: 503,
    KindredError: 422,  # a file or a worksheet is refused
}
CODES = {  # of errors that Django and django-ninja raise, by status; a literal table
    400: ("bad_request", "The request cannot be read."),
    401: ("not_authenticated", "Send a valid key as “Authorization: Bearer KEY”."),
    403: ("not_allowed", "You may not do this."),
    404: ("not_found", "There is nothing at this address."),
    405: ("method_not_allowed", "This address does not support the method."),
    406: ("not_acceptable", "This address has no such representation."),
    409: ("conflict", "Somebody else changed the same thing in the meantime."),
    412: ("precondition_failed", "It has changed since you read it. Read it again."),
    413: ("too_large", "The request is too large."),
    415: ("unsupported_media_type", "Send JSON, with “Content-Type: application/json”."),
    422: ("invalid", "Some values are invalid."),
    429: ("too_many_requests", "Too many requests. Wait, then try again."),
    500: ("server_error", "Something went wrong on our side."),
    503: ("unavailable", "A server is unavailable. Try again in a moment."),
}
MCP_PATH = "/mcp"  # where assistants call; errors there have the shape of JSON-RPC around this one
_SERVER_ERROR = -32000  # JSON-RPC's code of errors that are not about its messages
_BODY_PARTS = ("body", "query", "path", "header", "form", "file")


class ApiProblem(KindredError):
    """A request that the API refuses before it reaches a service.

    Attributes:
        status: the HTTP status; it decides the code, and the message if none is given.
        headers: headers of the response.
    """

    def __init__(
        self,
        status: int,
        message: str = "",
        *,
        code: str = "",
        fields: Mapping[str, Sequence[str]] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        usual_code, usual_message = CODES[status]
        self.status, self.code, self.headers = status, code or usual_code, dict(headers or {})
        self.fields = {name: list(problems) for name, problems in (fields or {}).items()}
        super().__init__(message or usual_message)


def error_response(
    request: HttpRequest, status: int, *, code: str = "", message: str = "", fields: Mapping[str, Any] | None = None
) -> HttpResponse:
    """Return an error in the API's shape."""
    usual_code, usual_message = CODES.get(status, CODES[500 if status >= 500 else 400])
    error = {
        "code": code or usual_code,
        "message": message or usual_message,
        "fields": dict(fields or {}),
        "request_id": getattr(request, "request_id", ""),
    }
    content: dict[str, Any] = {"error": error}
    if request.path == MCP_PATH:
        inner = {"code": _SERVER_ERROR, "message": error["message"], "data": error}
        content = {"jsonrpc": "2.0", "id": None, "error": inner}
    response = JsonResponse(content, status=status)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def register_error_handlers(api: NinjaAPI) -> None:
    """Give every error that an operation raises the API's shape; unexpected errors become pages of Django first.

    `questionbank.api.errors` turns those pages into this shape as well.
    """
    api.add_exception_handler(KindredError, kindred_error_response)
    api.add_exception_handler(InvalidRequest, _invalid_request)
    api.add_exception_handler(HttpError, _http_error)
    api.add_exception_handler(Http404, lambda request, error: error_response(request, 404, message=_reason(error)))
    api.add_exception_handler(
        PermissionDenied, lambda request, error: error_response(request, 403, message=_reason(error))
    )
    api.add_exception_handler(RequestDataTooBig, lambda request, _error: error_response(request, 413))
    api.add_exception_handler(SuspiciousOperation, lambda request, _error: error_response(request, 400))


def kindred_error_response(request: HttpRequest, error: KindredError) -> HttpResponse:
    """Return an error that an operation or a check before it raised on purpose."""
    status = getattr(error, "status", 0) or next(
        status for kind, status in STATUS_OF_ERROR.items() if isinstance(error, kind)
    )
    fields = getattr(error, "fields", {})
    response = error_response(request, status, code=error.code, message=str(error), fields=fields)
    for name, value in getattr(error, "headers", {}).items():
        response[name] = value
    if isinstance(error, Busy):
        response["Retry-After"] = str(error.retry_after)
    return response


def _http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error.__cause__, KindredError):  # the parser's; django-ninja turns every error of it into a 400
        return kindred_error_response(request, error.__cause__)
    return error_response(request, error.status_code)


def _invalid_request(request: HttpRequest, error: InvalidRequest) -> HttpResponse:
    fields: dict[str, list[str]] = {}
    for problem in error.errors:
        fields.setdefault(_field_name(problem["loc"]), []).append(problem["msg"].removeprefix("Value error, "))
    name, problems = next(iter(fields.items()))
    return error_response(request, 422, message=f"{name}: {problems[0]}" if name else problems[0], fields=fields)


def _field_name(location: Sequence[Any]) -> str:
    """Return the path of a field, such as ``options.0.text``, without the names of the request's part and parameter.

    >>> _field_name(("body", "data", "options", 0, "text")), _field_name(("query", "limit"))
    ('options.0.text', 'limit')
    """
    parts = [str(part) for part in location]
    if parts and parts[0] == "body":
        parts = parts[2:]
    elif parts and parts[0] in _BODY_PARTS:
        parts = parts[1:] if len(parts) == 2 else parts[2:]
    return ".".join(parts)


def _reason(error: Exception) -> str:
    return error.args[0] if error.args and isinstance(error.args[0], str) else ""


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
