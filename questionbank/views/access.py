"""Who may open a page and by which method, and how an error of ours becomes a page.

Every view but log-in, reset and health carries `requires`; the table in
``tests/questionbank/views/test_permissions.py`` sweeps all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers

from questionbank.errors import Busy, Conflict, NotAllowed, NotFound, ServiceUnavailable, ValidationFailed

View = Callable[..., HttpResponse]

STATUS_OF_ERROR = {Conflict: 409, ServiceUnavailable: 503, ValidationFailed: 422}  # a literal table


def requires(permission: str) -> Callable[[View], View]:
    """Let only people with ``questionbank.<permission>`` open the view.

    Permissions that depend on one object are checked again by the view, see `check_permission`. Errors of
    ours that the view does not catch become a page with their one sentence.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            check_permission(request, permission)
            try:
                return view(request, *args, **kwargs)
            except NotFound as error:
                raise Http404(str(error)) from error
            except NotAllowed as error:
                raise PermissionDenied(str(error)) from error
            except tuple(STATUS_OF_ERROR) as error:
                return render_problem(request, error)

        guarded.permission = permission  # type: ignore[attr-defined]
        return guarded

    return decorate


def takes_posts(*, back: str) -> Callable[[View], View]:
    """Let the view answer POST alone; whoever opens its address is led to the page `back`, with a sentence.

    Whose session ended before a button was pressed comes by: the log-in goes on to the button's address.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method == "POST":
                return view(request, *args, **kwargs)
            if request.method not in ("GET", "HEAD"):
                return HttpResponseNotAllowed(["POST"])
            messages.warning(request, "Nothing was saved. Please press the button again.")
            return redirect(back)

        return guarded

    return decorate


def unsent(answer: Callable[[HttpRequest], HttpResponse | None]) -> Callable[[View], View]:
    """Say what `LogInMiddleware` answers to a form that is sent after its session ended."""

    def decorate(view: View) -> View:
        view.unsent = answer  # type: ignore[attr-defined]
        return view

    return decorate


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
