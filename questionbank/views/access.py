"""Who may open a page and by which method, and how an error of ours becomes a page.

Every view but log-in, reset and health is for people with a permission; the table in
``tests/questionbank/views/test_permissions.py`` sweeps all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from questionbank.errors import Busy, Conflict, NotAllowed, NotFound, ServiceUnavailable, ValidationFailed

View = Callable[..., HttpResponse]

STATUS_OF_ERROR = {Conflict: 409, ServiceUnavailable: 503, ValidationFailed: 422}  # a literal table


def page_for(permission: str) -> Callable[[View], View]:
    """Let people with ``questionbank.<permission>`` open the view by GET and HEAD."""
    return _guard(permission, require_safe)


def form_for(permission: str) -> Callable[[View], View]:
    """Let people with the permission open the view, and send it a form."""
    return _guard(permission, require_http_methods(["GET", "HEAD", "POST"]))


def button_for(permission: str, *, back: str = "") -> Callable[[View], View]:
    """Let people with the permission press the view's button: it answers POST alone.

    Opening its address leads to the page `back` with a sentence, or without one says it on a page of its own. This
    happens after a log-in, if the session ended before the button was pressed.
    """
    return _guard(permission, _pressed_alone(back))


def _guard(permission: str, check_method: Callable[[View], View]) -> Callable[[View], View]:
    """Check permission and method, and turn our errors that the view does not catch into a page with their sentence.

    Permissions that depend on one object are checked again by the view, see `check_permission`.
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
    """Show the sentence of a `Conflict`, or of another error, as a warning on the page that comes next."""
    try:
        yield
    except (Conflict, *others) as error:
        messages.warning(request, str(error))


def posted(request: HttpRequest) -> QueryDict | None:
    """Return the data of a form that was sent, for `forms.Form`; None where the page is only opened."""
    return request.POST if request.method == "POST" else None


def paginated(request: HttpRequest, rows: Any, size: int) -> Page[Any]:
    """Return the page of the rows that the address names (``?page=``)."""
    return Paginator(rows, size).get_page(request.GET.get("page"))


def check_permission(request: HttpRequest, permission: str, target: Any = None) -> None:
    """Raise PermissionDenied unless the person has the permission (for `target`, where given)."""
    if not request.user.has_perm(f"questionbank.{permission}", target):
        if permission == "question_edit" and target is not None:
            raise PermissionDenied("Only its author or an admin can edit this question.")
        raise PermissionDenied


def render_problem(request: HttpRequest, error: Exception) -> HttpResponse:
    """Show one of our errors as a page, or as a notice where htmx asked for a part of a page."""
    status = next(status for kind, status in STATUS_OF_ERROR.items() if isinstance(error, kind))
    template = "components/problem.html" if request.htmx else "problem.html"
    response = render(request, template, {"message": str(error), "status": status}, status=status)
    if isinstance(error, Busy):
        response["Retry-After"] = str(error.retry_after)
    return response


def render_page(
    request: HttpRequest,
    page: str,
    part: str,
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    """Render `part` where htmx asks for it, else the whole `page` (which includes the part)."""
    wants_part = request.htmx and not request.htmx.boosted and not request.htmx.history_restore_request
    response = render(request, part if wants_part else page, context, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return response
