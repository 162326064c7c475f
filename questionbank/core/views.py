"""What all pages share: permissions, error pages, and forms that are sent again after a login."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseServerError, QueryDict
from django.shortcuts import redirect, render
from django.template import loader
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from questionbank.core.errors import Busy, Conflict, NotAllowed, NotFound, ServiceUnavailable, ValidationFailed
from questionbank.core.outage import Outage, outage_of

View = Callable[..., HttpResponse]

STATUS_OF_ERROR = {Conflict: 409, ServiceUnavailable: 503, ValidationFailed: 422}  # a literal table


def page_for(permission: str) -> Callable[[View], View]:
    """Let people with ``questionbank.<permission>`` open the view by GET and HEAD."""
    return _guard(permission, require_safe)


def form_for(permission: str) -> Callable[[View], View]:
    """Let people with the permission open the view and submit its form."""
    return _guard(permission, require_http_methods(["GET", "HEAD", "POST"]))


def button_for(permission: str, *, back: str = "") -> Callable[[View], View]:
    """Let people with the permission press the view's button; it accepts only POST.

    A GET redirects to the page `back` with a message, or shows the message on a page of its own if `back` is empty.
    This happens after a login if the session had ended before the button was pressed.
    """
    return _guard(permission, _pressed_alone(back))


def _guard(permission: str, check_method: Callable[[View], View]) -> Callable[[View], View]:
    """Check permission and method, and turn our errors that the view does not catch into a page with their message.

    Permissions that depend on an object are checked again by the view; see `check_permission`.
    """

    def decorate(view: View) -> View:
        checked = check_method(view)

        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            check_permission(request, permission)
            try:
                return checked(request, *args, **kwargs)
            except NotFound as error:
                raise Http404(str(error)) from error
            except NotAllowed as error:
                raise PermissionDenied(str(error)) from error
            except tuple(STATUS_OF_ERROR) as error:
                return render_problem(request, error)

        guarded.permission = permission  # type: ignore[attr-defined]
        return guarded

    return decorate


def _pressed_alone(back: str) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        @wraps(view)
        def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method not in ("GET", "HEAD"):
                return require_POST(view)(request, *args, **kwargs)
            sentence = "Nothing was saved. Please press the button again."
            if back:
                messages.warning(request, sentence)
                return redirect(back)
            response = render(request, "problem.html", {"message": sentence, "status": 405}, status=405)
            response["Allow"] = "POST"
            return response

        return answered

    return decorate


@contextmanager
def warning_of(request: HttpRequest, *others: type[Exception]) -> Iterator[None]:
    """Show the message of a `Conflict`, or of one of the `others`, as a warning on the next page."""
    try:
        yield
    except (Conflict, *others) as error:
        messages.warning(request, str(error))


def posted(request: HttpRequest) -> QueryDict | None:
    """Return the submitted form data for `forms.Form`; None if the page is only opened."""
    return request.POST if request.method == "POST" else None


def paginated(request: HttpRequest, rows: Any, size: int) -> Page[Any]:
    """Return the page of the rows given by the query string (``?page=``)."""
    return Paginator(rows, size).get_page(request.GET.get("page"))


def check_permission(request: HttpRequest, permission: str, target: Any = None) -> None:
    """Raise PermissionDenied unless the person has the permission (for `target`, if given)."""
    if not request.user.has_perm(f"questionbank.{permission}", target):
        if permission == "question_edit" and target is not None:
            raise PermissionDenied("Only its author or an admin can edit this question.")
        raise PermissionDenied


def render_problem(request: HttpRequest, error: Exception) -> HttpResponse:
    """Show one of our errors as a page, or as a notice if htmx requested a fragment."""
    status = next(status for kind, status in STATUS_OF_ERROR.items() if isinstance(error, kind))
    template = "components/problem.html" if request.htmx else "problem.html"
    response = render(request, template, {"message": str(error), "status": status}, status=status)
    if isinstance(error, Busy):
        response["Retry-After"] = str(error.retry_after)
    return response


def render_deletion(
    request: HttpRequest, question: str, *, consequence: str, button: str, back: str, problem: str = ""
) -> HttpResponse:
    """Ask before something is deleted for good.

    Args:
        question: such as "Delete “Algebra”?".
        consequence: what is lost, and what stays.
        back: address of the page to which "Cancel" leads.
        problem: why it could not be deleted, if somebody has tried.
    """
    context = {"question": question, "consequence": consequence, "button": button, "back": back, "problem": problem}
    return render(request, "delete.html", context, status=STATUS_OF_ERROR[Conflict] if problem else 200)


def render_page(request: HttpRequest, page: str, part: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """Render `part` if htmx requests it, else the whole `page` (which includes the part)."""
    wants_part = request.htmx and not request.htmx.boosted and not request.htmx.history_restore_request
    response = render(request, part if wants_part else page, context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response


RETRY_AFTER = {Outage.LOST: 3, Outage.SLOW: 10, Outage.FULL: 60}  # seconds; a literal table

# Used if even the template of the error page cannot be rendered (a deployment without its static files).
LAST_RESORT = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Something broke</title></head>
<body><h1>Something went wrong on our side</h1>
<p>Nothing that you entered was saved by this step. Please try again in a minute.</p>
</body></html>"""


def bad_request(
    request: HttpRequest,
    exception: Exception,  # noqa: ARG001 - named by Django
) -> HttpResponse:
    """Return 400: the browser sent something that none of our pages sends."""
    return render(request, "400.html", status=400)


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 403: the person's role does not allow it."""
    return render(request, "403.html", {"reason": str(exception)}, status=403)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return 404: there is nothing here, or it no longer exists."""
    reason = exception.args[0] if exception.args and isinstance(exception.args[0], str) else ""
    return render(request, "404.html", {"reason": reason}, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Return 500, or 503 during an outage; the page is rendered without the request, database or session."""
    outage = outage_of(sys.exc_info()[1])
    if outage is not None:
        return _unavailable(request, outage)
    try:
        return HttpResponseServerError(loader.get_template("500.html").render())
    except Exception:  # noqa: BLE001 - whatever it is, a plain page must still be sent
        return HttpResponseServerError(LAST_RESORT)


def _unavailable(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Return 503 with Retry-After for the middleware; after a read request the page reloads itself."""
    seconds = RETRY_AFTER[outage]
    context = {"outage": outage, "seconds": seconds, "reads": request.method in ("GET", "HEAD")}
    try:
        content = loader.get_template("503.html").render(context)
    except Exception:  # noqa: BLE001 - as above
        content = LAST_RESORT
    response = HttpResponse(content, status=503, headers={"Retry-After": str(seconds)})
    response.outage = outage  # type: ignore[attr-defined]
    return response


TYPED = 30  # minimum length of a value that is shown for copying
LARGEST = 16 * 1024 * 1024  # bytes of a form, including files, that are read from a logged-out person


def kept_form(request: HttpRequest) -> HttpResponse | None:
    """Return a page that holds the fields of the submitted form, or None if it cannot be offered again.

    Files are not kept, because they are not read; the page says so.
    """
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not _is_ours(request) or request.htmx or not length.isdigit() or int(length) > LARGEST:
        return None
    if not hasattr(request, "_files"):
        request.upload_handlers = []  # files from a logged-out person are not written to disk
    if any("password" in name for name in request.POST):
        return None
    fields = [
        (name, value) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken" for value in values
    ]
    context = {
        "fields": fields,
        "typed": [value for _name, value in fields if len(value) >= TYPED and " " in value.strip()],
        "has_files": request.content_type == "multipart/form-data",
    }
    return render(request, "unsent.html", context, status=403)


def form_expired(request: HttpRequest, reason: str = "") -> HttpResponse:  # noqa: ARG001 - named by Django
    """Return 403 for a form without the CSRF token of this login (``CSRF_FAILURE_VIEW``)."""
    kept = kept_form(request) if request.user.is_authenticated else None
    return kept or render(request, "403_csrf.html", status=403)


def _is_ours(request: HttpRequest) -> bool:
    origin = request.META.get("HTTP_ORIGIN", "")
    return origin in (f"{request.scheme}://{request.get_host()}", *settings.CSRF_TRUSTED_ORIGINS)
